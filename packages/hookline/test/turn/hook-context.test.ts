import { textOf } from "@hookline/runtime";
import { describe, expect, test } from "vitest";
import type { Agent } from "../../src/agent/agent.ts";
import { sentTo, startBench } from "../agent/bench.ts";
import { taskCall, WITH_TASKS } from "../support/depth.ts";

const messagesOf = ({ core }: Agent) => core.store.buildSessionContext().messages;
const hiddenOf = (agent: Agent): string[] =>
  messagesOf(agent).flatMap((message) =>
    message.role === "custom" ? [`${message.display} ${textOf(message.content)}`] : [],
  );
const resultOf = (agent: Agent) => messagesOf(agent).find((message) => message.role === "toolResult");

describe("remarks", () => {
  test("come after the result in separate blocks, and no handler of tool.after sees them", async () => {
    const bench = await startBench({
      files: { "a.txt": "alpha" },
      replies: [{ toolCalls: [{ name: "read", arguments: { path: "a.txt" } }] }, { text: "ok" }, { text: "again" }],
    });
    const { agent, hooks, server } = bench;
    hooks.on("tool.before", () => ({ remark: "before one" }));
    hooks.on("tool.before", () => ({ remark: "before two" }));
    const seen: string[] = [];
    hooks.on("tool.after", () => ({ remark: "after one" }));
    hooks.on("tool.after", ({ content }) => {
      seen.push(textOf(content));
      return undefined;
    });
    await agent.prompt("Read");
    expect(seen.join()).not.toMatch(/before one|after one/);
    const result = resultOf(agent);
    const blocks = result?.role === "toolResult" ? result.content : [];
    const [own, ...remarks] = blocks.map((block) => (block.type === "text" ? block.text : ""));
    expect(own).toContain("alpha");
    expect(remarks).toHaveLength(3);
    for (const [index, text] of ["before one", "before two", "after one"].entries())
      expect(remarks[index]).toMatch(new RegExp(`^<system-reminder>\\n[^]*${text}\\n</system-reminder>$`));
    expect(sentTo(server, 1).at(-1)).toMatch(/alpha[\s\S]*before one[\s\S]*before two[\s\S]*after one/);
    // A later run sends the same.
    const sent = server.requests[1]?.body.messages;
    await bench.close();
    const later = await bench.again(["--continue"]);
    await later.agent.prompt("On");
    const resumed = server.requests[2]?.body.messages;
    expect(resumed.slice(1, sent.length)).toEqual(sent.slice(1));
  });

  test("come with the result of a refused call, and with a result that hooks replace", async () => {
    const { agent, hooks } = await startBench({
      files: { "a.txt": "alpha" },
      replies: [{ toolCalls: [{ name: "read", arguments: { path: "a.txt" } }] }, { text: "ok" }],
    });
    hooks.on("tool.before", () => ({ decision: "deny", reason: "no", remark: "ask first" }));
    hooks.on("tool.after", () => ({ content: [{ type: "text", text: "replaced" }] }));
    await agent.prompt("Read");
    const result = resultOf(agent);
    expect(result).toMatchObject({ isError: true });
    expect(textOf(result?.role === "toolResult" ? result.content : [])).toMatch(/^replaced[\s\S]*ask first/);
  });

  test("that are empty are left out", async () => {
    const { agent, hooks } = await startBench({ replies: [{ toolCalls: [{ name: "ls" }] }, { text: "ok" }] });
    hooks.on("tool.after", () => ({ remark: "  " }));
    await agent.prompt("Look");
    expect(JSON.stringify(resultOf(agent))).not.toContain("system-reminder");
  });
});

describe("what prompt.before tells the model", () => {
  test("comes after the prompt, hidden, in the order of the hooks", async () => {
    const { agent, hooks, server } = await startBench({ replies: [{ text: "ok" }] });
    hooks.on("prompt.before", () => ({ additionalContext: "first" }));
    hooks.on("prompt.before", () => ({ additionalContext: "second", title: " Named by a hook " }));
    await agent.prompt("Hello");
    const sent = sentTo(server, 0);
    expect(sent.at(-3)).toBe("user: Hello");
    expect(sent.at(-2)).toContain("first");
    expect(sent.at(-1)).toContain("second");
    expect(hiddenOf(agent)).toEqual([
      expect.stringMatching(/^false [\s\S]*first/),
      expect.stringMatching(/^false [\s\S]*second/),
    ]);
    expect(agent.core.store.getSessionName()).toBe("Named by a hook");
  });

  test("also comes after a queued text", async () => {
    const { agent, hooks, server } = await startBench({ replies: [{ toolCalls: [{ name: "ls" }] }, { text: "ok" }] });
    hooks.on("prompt.before", ({ text }) => (text === "Later" ? { additionalContext: "noted" } : undefined));
    hooks.on("tool.after", async () => {
      await agent.prompt("Later", { streaming: "steer" });
      return undefined;
    });
    await agent.prompt("Look");
    expect(sentTo(server, 1).at(-2)).toBe("user: Later");
    expect(sentTo(server, 1).at(-1)).toContain("noted");
  });

  test("is dropped with a prompt that is stopped, whose reason the person is told", async () => {
    const bench = await startBench({ replies: [{ toolCalls: [{ name: "ls" }] }, { text: "ok" }] });
    const { agent, hooks, server } = bench;
    hooks.on("prompt.before", ({ text }) =>
      text.startsWith("No") ? { additionalContext: "noted", stop: true, reason: "not today" } : undefined,
    );
    hooks.on("tool.after", async () => {
      await agent.prompt("Not this", { streaming: "steer" });
      return undefined;
    });
    expect(await agent.prompt("No")).toEqual({ kind: "stopped", reason: "not today" });
    expect(server.requests).toHaveLength(0);
    await agent.prompt("Look");
    expect(bench.notices().join()).toContain("not today");
    expect(sentTo(server, 1).join()).not.toMatch(/noted|not today|Not this/);
  });
});

test("what compact.after tells the model is in the next request of the run", async () => {
  const { agent, hooks, server } = await startBench({
    contextWindow: 20_000,
    settings: { compaction: { reserveTokens: 4000, keepRecentTokens: 200 } },
    files: { "a.txt": "alpha ".repeat(200) },
    replies: [
      { when: { systemMatches: "You write summaries" }, text: "a summary", repeat: true },
      { text: "short", usage: { input: 100, output: 10 } },
      { toolCalls: [{ name: "read", arguments: { path: "a.txt" } }], usage: { input: 17_000, output: 20 } },
      { text: "done", usage: { input: 500, output: 10 } },
    ],
  });
  hooks.on("compact.after", ({ kind }) => (kind === "full" ? { additionalContext: "branch: main" } : undefined));
  await agent.prompt("Begin");
  await agent.prompt("Read");
  expect(sentTo(server, -1).at(-1)).toContain("branch: main");
  expect(hiddenOf(agent)).toHaveLength(1);
});

describe("context that the end of a run keeps from the model is named once", () => {
  const ASIDE =
    "The model has not seen what library added: the run ended before the next request. If the model needs it, say it in your next prompt.";
  const droppedBy = async (add: (bench: Awaited<ReturnType<typeof startBench>>) => void) => {
    const bench = await startBench({ replies: [{ toolCalls: [{ name: "ls" }] }, { text: "ok" }] });
    add(bench);
    expect((await bench.agent.prompt("Look")).kind).toBe("aborted");
    return bench.events.flatMap((event) => (event.type === "notice" ? [event.text] : []));
  };

  test.each(["prompt.before", "tool.before", "tool.after"] as const)("%s", async (event) => {
    const notices = await droppedBy(({ hooks, agent }) => {
      hooks.on(event, () => ({ additionalContext: "note" }));
      if (event === "prompt.before") hooks.on("agent.before-start", () => void agent.abort());
      hooks.on("message.end", ({ message }) => {
        if (message.role === "toolResult") void agent.abort();
        return undefined;
      });
    });
    expect(notices).toEqual([ASIDE]);
  });

  test.each([
    ["prompt.before", { additionalContext: "note" }],
    ["tool.before", { additionalContext: "note" }],
    ["tool.before", { remark: "note" }],
    ["agent.stop", { additionalContext: "note" }],
    ["agent.stop", { feedback: "note" }],
  ] as const)("%s, where a later hook of the dispatch is aborted: %o", async (event, answer) => {
    const notices = await droppedBy(({ hooks, agent }) => {
      hooks.on(event, () => answer as object);
      hooks.on(event, (_, { signal }) => {
        queueMicrotask(() => void agent.abort());
        return new Promise((resolve) => void signal.addEventListener("abort", () => resolve(undefined)));
      });
    });
    expect(notices).toEqual([ASIDE]);
  });

  test("a guard's remark, where the call that it allowed is ended before it runs", async () => {
    const notices = await droppedBy(({ hooks, agent }) => {
      hooks.on("tool.before", () => {
        agent.abort();
        return { remark: "note" };
      });
    });
    expect(notices).toEqual([ASIDE]);
  });

  test("agent.spawned", async () => {
    const bench = await startBench({ settings: WITH_TASKS, replies: [{ toolCalls: [taskCall()] }] });
    bench.hooks.on("agent.spawned", () => {
      bench.agent.abort();
      return { additionalContext: "note" };
    });
    await bench.agent.prompt("Go");
    expect(bench.notices()).toEqual([`Sub-agent general-purpose: ${ASIDE}`]);
  });

  test("also where a hook stops the request", async () => {
    const { agent, hooks, notices } = await startBench({ replies: [{ toolCalls: [{ name: "ls" }] }, { text: "ok" }] });
    hooks.on("tool.after", () => {
      hooks.on("model.request", () => ({ stop: true }));
      return { additionalContext: "note" };
    });
    await agent.prompt("Look");
    expect(notices()).toEqual([ASIDE]);
  });

  test("but not what the conversation keeps, or what the model has seen", async () => {
    const bench = await startBench({ replies: [{ toolCalls: [{ name: "ls" }] }, { text: "ok" }] });
    bench.hooks.on("tool.after", () => ({ additionalContext: "note" }));
    bench.hooks.on("message.end", ({ message }) => {
      if (message.role === "assistant" && textOf(message.content) === "ok") void bench.agent.abort();
      return undefined;
    });
    await bench.agent.prompt("Look");
    expect(bench.events.filter(({ type }) => type === "notice")).toEqual([]);
  });
});
