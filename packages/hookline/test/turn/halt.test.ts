import { existsSync } from "node:fs";
import { join } from "node:path";
import { textOf } from "@hookline/runtime";
import { describe, expect, test } from "vitest";
import type { Agent } from "../../src/agent/agent.ts";
import { startBench } from "../agent/bench.ts";

const SECRET = "S-for-the-person";
const halt = { reason: SECRET };
const stopped = { kind: "stopped", reason: SECRET, halt: true };
const write = (path: string) => ({ name: "write", arguments: { path, content: "x" } });

const resultsOf = ({ core }: Agent): string[] =>
  core.store
    .buildSessionContext()
    .messages.flatMap((message) => (message.role === "toolResult" ? [textOf(message.content)] : []));

/** Everything that the session holds, as a later run would read it. */
const stored = ({ core }: Agent): string => JSON.stringify(core.store.getEntries());

describe("a halt of tool.before", () => {
  test("runs neither the call nor later ones, and stores a result for each", async () => {
    const { agent, hooks, project, server } = await startBench({
      replies: [{ toolCalls: [write("a"), write("b"), write("c")] }, { text: "never asked" }],
    });
    const asked: unknown[] = [];
    hooks.on("tool.before", ({ args }) => {
      asked.push(args["path"]);
      return args["path"] === "b" ? { halt } : undefined;
    });
    const result = await agent.prompt("Write");
    expect(result).toEqual(stopped);
    expect(server.requests).toHaveLength(1);
    expect(asked).toEqual(["a", "b"]);
    for (const name of ["a", "b", "c"]) expect(existsSync(join(project, name))).toBe(false);
    expect(resultsOf(agent)).toHaveLength(3);
    for (const text of resultsOf(agent)) expect(text).toMatch(/ended the run/);
    expect(stored(agent)).not.toContain(SECRET);
  });

  test("with a denial gives the model the denial's reason", async () => {
    const { agent, hooks, server } = await startBench({
      replies: [{ toolCalls: [write("a")] }, { text: "never asked" }],
    });
    hooks.on("tool.before", () => ({ decision: "deny", reason: "not here", halt }));
    expect(await agent.prompt("Write")).toEqual(stopped);
    expect(resultsOf(agent)).toEqual(["not here"]);
    expect(server.requests).toHaveLength(1);
  });

  test("counts when a guard is asked again about a call that another one has changed", async () => {
    const { agent, hooks, project } = await startBench({ replies: [{ toolCalls: [write("a")] }, { text: "never" }] });
    hooks.on("tool.before", ({ args }) => (args["path"] === "b" ? { halt } : undefined));
    hooks.on("tool.before", ({ args }) => (args["path"] === "a" ? { args: { ...args, path: "b" } } : undefined));
    expect(await agent.prompt("Write")).toEqual(stopped);
    expect(existsSync(join(project, "b"))).toBe(false);
  });

  test("does not ask the question of another guard", async () => {
    const questions: string[] = [];
    const { agent, hooks } = await startBench({
      mode: "rpc",
      ui: { confirm: async (title) => questions.push(title) > 0 },
      replies: [{ toolCalls: [write("a")] }, { text: "never" }],
    });
    hooks.on("tool.before", () => ({ decision: "ask" }));
    hooks.on("tool.before", () => ({ halt }));
    expect(await agent.prompt("Write")).toEqual(stopped);
    expect(questions).toEqual([]);
  });

  test("ends a run whose next prompt is answered again", async () => {
    const { agent, hooks } = await startBench({ replies: [{ toolCalls: [write("a")] }, { text: "fine" }] });
    const off = hooks.on("tool.before", () => ({ halt }));
    await agent.prompt("Write");
    off();
    expect(await agent.prompt("And now?")).toMatchObject({ kind: "answered", text: "fine" });
  });
});

test("a halt of tool.after keeps the result, and no request follows", async () => {
  const { agent, hooks, server, project } = await startBench({
    replies: [{ toolCalls: [write("a")] }, { text: "never asked" }],
  });
  hooks.on("tool.after", () => ({ halt }));
  const stops: string[] = [];
  hooks.on("agent.stop", () => {
    stops.push("asked");
    return undefined;
  });
  expect(await agent.prompt("Write")).toEqual(stopped);
  expect(existsSync(join(project, "a"))).toBe(true);
  expect(resultsOf(agent)).toHaveLength(1);
  expect(server.requests).toHaveLength(1);
  expect(stops).toEqual([]);
  expect(stored(agent)).not.toContain(SECRET);
});

test("a halt of turn.end ends the run although results are pending, and stores its entries", async () => {
  const { agent, hooks, server } = await startBench({
    replies: [{ toolCalls: [{ name: "ls" }] }, { text: "never asked" }],
  });
  hooks.on("turn.end", () => ({
    halt,
    continue: true,
    entries: [{ type: "custom_message", customType: "batch", content: "R", display: true }],
  }));
  expect(await agent.prompt("Look")).toEqual(stopped);
  expect(server.requests).toHaveLength(1);
  expect(stored(agent)).toContain('"batch"');
});

test("a halt of turn.end keeps a failed request from being repeated", async () => {
  const { agent, hooks, server } = await startBench({
    replies: [{ error: { status: 529, message: "overloaded" } }, { text: "never asked" }],
  });
  hooks.on("turn.end", () => ({ halt }));
  expect(await agent.prompt("Hello")).toEqual(stopped);
  expect(server.requests).toHaveLength(1);
});

describe("a halt of prompt.before", () => {
  test("sends nothing and stores nothing of the prompt", async () => {
    const { agent, hooks, server } = await startBench({ replies: [{ text: "never asked" }] });
    hooks.on("prompt.before", () => ({ halt }));
    expect(await agent.prompt("A word")).toEqual(stopped);
    expect(server.requests).toHaveLength(0);
    expect(stored(agent)).not.toContain("A word");
  });

  test("for a queued text ends the run that it waited for", async () => {
    const { agent, hooks, server } = await startBench({
      replies: [{ toolCalls: [{ name: "ls" }] }, { text: "never asked" }],
    });
    hooks.on("prompt.before", ({ text }) => (text === "Later" ? { halt } : undefined));
    hooks.on("tool.after", async () => {
      await agent.prompt("Later", { streaming: "steer" });
      return undefined;
    });
    expect(await agent.prompt("Look")).toEqual(stopped);
    expect(server.requests).toHaveLength(1);
    expect(stored(agent)).not.toContain("Later");
  });

  test("for a follow-up keeps the reply, and no later queued text is sent", async () => {
    const { agent, hooks, server } = await startBench({ replies: [{ text: "one" }, { text: "never asked" }] });
    hooks.on("prompt.before", ({ text }) => (text === "Later" ? { halt } : undefined));
    let sent = false;
    hooks.on("model.response", async () => {
      if (sent) return undefined;
      sent = true;
      await agent.prompt("Later", { streaming: "followUp" });
      await agent.prompt("Last", { streaming: "followUp" });
      return undefined;
    });
    expect(await agent.prompt("Hello")).toEqual(stopped);
    expect(server.requests).toHaveLength(1);
    expect(stored(agent)).toContain("one");
  });
});

describe("a halt of compact.after", () => {
  const settings = { compaction: { reserveTokens: 4000, keepRecentTokens: 200 } };
  const summary = { when: { systemMatches: "You write summaries" }, text: "a summary", repeat: true };
  const long = { text: "y".repeat(4000), usage: { input: 17_000, output: 1000 } };
  const talked = (index: number) => ({ text: `never asked ${index}` });

  test("between two turns sends no further request", async () => {
    const { agent, hooks, server } = await startBench({
      contextWindow: 20_000,
      settings,
      files: { "a.txt": "alpha ".repeat(200) },
      replies: [
        summary,
        { text: "short", usage: { input: 100, output: 10 } },
        { toolCalls: [{ name: "read", arguments: { path: "a.txt" } }], usage: { input: 17_000, output: 20 } },
        talked(1),
      ],
    });
    await agent.prompt("Begin");
    hooks.on("compact.after", ({ kind }) => (kind === "full" ? { halt } : undefined));
    expect(await agent.prompt("Read")).toEqual(stopped);
    // The last request was the summary's.
    expect(JSON.stringify(server.requests.at(-1)?.body.messages[0])).toContain("You write summaries");
    expect(resultsOf(agent)).toHaveLength(1);
    expect(stored(agent)).not.toContain(SECRET);
  });

  test("after a reply keeps queued texts from being sent", async () => {
    const { agent, hooks, server } = await startBench({
      contextWindow: 20_000,
      settings,
      replies: [summary, { text: "short" }, long, talked(1)],
    });
    await agent.prompt("Begin");
    hooks.on("compact.after", ({ kind }) => {
      if (kind !== "full") return undefined;
      agent.services.conversation?.sendUserMessage("More", { deliverAs: "followUp" });
      return { halt };
    });
    expect(await agent.prompt("Say much")).toEqual(stopped);
    await agent.waitForIdle();
    expect(JSON.stringify(server.requests.at(-1)?.body.messages[0])).toContain("You write summaries");
    expect(stored(agent)).toContain("yyyy");
  });

  test("started manually tells the person the reason, and the next prompt is answered", async () => {
    const bench = await startBench({
      settings: { compaction: { keepRecentTokens: 100 } },
      replies: [summary, { text: "z".repeat(4000) }, { text: "two" }, { text: "three" }],
    });
    const { agent, hooks } = bench;
    hooks.on("compact.after", () => ({ halt }));
    await agent.prompt("Talk");
    await agent.prompt("Talk more");
    await agent.prompt("/compact");
    expect(bench.notices()).toContain(SECRET);
    expect(await agent.prompt("On")).toMatchObject({ text: "three" });
  });
});

describe("a session that a hook ends at its start", () => {
  test("takes no prompt until it starts again", async () => {
    const bench = await startBench({ mode: "rpc", replies: [{ text: "fine" }] });
    const { agent, hooks, server } = bench;
    let isClosed = true;
    hooks.on("session.start", () => (isClosed ? { halt } : undefined));
    await agent.prompt("/new");
    expect(bench.notices().join()).toContain(SECRET);
    expect(await agent.prompt("Hello")).toEqual(stopped);
    expect(server.requests).toHaveLength(0);
    expect(stored(agent)).not.toContain(SECRET);
    isClosed = false;
    await agent.prompt("/reload");
    expect(await agent.prompt("Hello")).toMatchObject({ kind: "answered" });
  });

  test("takes no turn of a hook's either", async () => {
    const { agent, hooks, server } = await startBench({ replies: [{ text: "never asked" }] });
    hooks.on("session.start", () => ({ halt }));
    await agent.prompt("/new");
    agent.services.conversation?.sendUserMessage("From a hook", {});
    await agent.waitForIdle();
    expect(server.requests).toHaveLength(0);
  });
});
