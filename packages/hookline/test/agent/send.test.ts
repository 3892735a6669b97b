import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Agent } from "../../src/agent/agent.ts";
import { sentTo, startBench } from "./bench.ts";

const custom = (customType: string) => ({ customType, content: `text of ${customType}`, display: true });
const types = (agent: Agent): string[] =>
  agent.core.store
    .buildSessionContext()
    .messages.map((message) => ("customType" in message ? message.customType : message.role));

test("a message sent while idle is stored, and no request is made", async () => {
  const { agent, server } = await startBench({ replies: [] });
  agent.services.conversation?.sendMessage(custom("note"), {});
  agent.services.conversation?.sendMessage(custom("steered"), { deliverAs: "steer" });
  expect(types(agent)).toEqual(["note", "steered"]);
  expect(server.requests).toHaveLength(0);
});

test("a message that asks for a turn starts a run without input, whose start hooks are asked about", async () => {
  const { agent, hooks, server } = await startBench({ replies: [{ text: "noted" }] });
  const heard: string[] = [];
  for (const event of ["input", "prompt.before", "agent.before-start", "agent.start"] as const)
    hooks.on(event, () => {
      heard.push(event);
      return undefined;
    });
  hooks.on("agent.before-start", ({ prompt, message }) => {
    heard.push(`prompt "${prompt}", message ${(message as { customType?: string } | undefined)?.customType}`);
    return {
      systemPrompt: "HOOK'S PROMPT",
      activeTools: ["read"],
      messages: [{ role: "custom", timestamp: 1, ...custom("beside") }],
    };
  });
  agent.services.conversation?.sendMessage(custom("alarm"), { triggerTurn: true });
  await agent.waitForIdle();
  expect(heard).toEqual(["agent.before-start", 'prompt "", message alarm', "agent.start"]);
  expect(sentTo(server, 0)[0]).toBe("system: HOOK'S PROMPT");
  expect(agent.activeTools()).toEqual(["read"]);
  expect(sentTo(server, 0).slice(1)).toEqual(["user: text of alarm", "user: text of beside"]);
  expect(types(agent)).toEqual(["alarm", "beside", "assistant"]);
});

test("a next-turn message waits for the next prompt and comes right after it", async () => {
  const { agent, server } = await startBench({ replies: [{ text: "ok" }] });
  agent.services.conversation?.sendMessage(custom("later"), { deliverAs: "nextTurn", triggerTurn: true });
  expect(types(agent)).toEqual([]);
  await agent.prompt("Now");
  expect(sentTo(server, 0).slice(1)).toEqual(["user: Now", "user: text of later"]);
});

test("text of an extension is a separate prompt: it passes input, and is not a command", async () => {
  const { agent, hooks, server } = await startBench({ replies: [{ text: "ok" }] });
  const sources: string[] = [];
  hooks.on("input", ({ source }) => {
    sources.push(source);
    return undefined;
  });
  agent.services.conversation?.sendUserMessage("/new", {});
  await expect.poll(() => server.requests.length).toBe(1);
  await agent.waitForIdle();
  expect(sources).toEqual(["extension"]);
  expect(sentTo(server, 0).at(-1)).toBe("user: /new");
});

test("text of an extension may expand a template if it says so", async () => {
  const { agent, server } = await startBench({
    replies: [{ text: "ok" }],
    files: { ".hookline/prompts/greet.md": "Say hello to $1." },
  });
  agent.services.conversation?.sendUserMessage("/greet Ada", { expandPromptTemplates: true });
  await expect.poll(() => server.requests.length).toBe(1);
  await agent.waitForIdle();
  expect(sentTo(server, 0).at(-1)).toBe("user: Say hello to Ada.");
});

test("text of an extension without a queue is refused while the agent runs, and that is reported", async () => {
  const bench = await startBench({ replies: [{ text: "one" }] });
  bench.hooks.on("turn.start", () => {
    bench.agent.services.conversation?.sendUserMessage("too early", {});
    return undefined;
  });
  await bench.agent.prompt("Begin");
  expect(bench.notices().join("\n")).toMatch(/already processing/);
  expect(bench.server.requests).toHaveLength(1);
});

test("text that is sent when a run has ended continues it", async () => {
  const { agent, hooks, server } = await startBench({ replies: [{ text: "one" }, { text: "two" }] });
  let sent = false;
  hooks.on("agent.end", () => {
    if (!sent) agent.services.conversation?.sendUserMessage("and more", {});
    sent = true;
    return undefined;
  });
  const result = await agent.prompt("Begin");
  expect(result).toMatchObject({ kind: "answered", text: "two" });
  expect(sentTo(server, 1).at(-1)).toBe("user: and more");
});

test("a prompt while another runs is refused with pi's words, and queued when it says where", async () => {
  const { agent, hooks, server } = await startBench({ replies: [{ text: "one" }, { text: "two" }] });
  const refused: string[] = [];
  let queued: unknown;
  hooks.on("model.response", async () => {
    if (queued !== undefined) return undefined;
    await agent.prompt("no").catch((thrown: Error) => refused.push(thrown.message));
    queued = await agent.prompt("yes", { streaming: "followUp" });
    return undefined;
  });
  await agent.prompt("Begin");
  expect(refused[0]).toMatch(/^Agent is already processing/);
  expect(queued).toEqual({ kind: "queued" });
  expect(sentTo(server, 1).at(-1)).toBe("user: yes");
});

test("queued messages come all at once when the mode says so", async () => {
  const { agent, hooks, server } = await startBench({ replies: [{ text: "one" }, { text: "two" }] });
  agent.core.queues.followUpMode = "all";
  let done = false;
  hooks.on("model.response", () => {
    if (done) return undefined;
    done = true;
    for (const text of ["a", "b"]) agent.core.queues.followUp({ role: "user", content: text, timestamp: 0 });
    return undefined;
  });
  await agent.prompt("Begin");
  expect(sentTo(server, 1).slice(-2)).toEqual(["user: a", "user: b"]);
});

test.each([
  ["hook", "goes on"],
  ["person", "starts no turn"],
] as const)("an abort by a %s empties the queues; what a hook sends after it %s", async (by, _) => {
  const { agent, hooks, server } = await startBench({
    replies: [{ text: "cut off", fault: "stall" }, { text: "two" }],
  });
  let aborted = false;
  hooks.on("message.update", () => {
    if (aborted) return undefined;
    aborted = true;
    agent.core.queues.steer({ role: "user", content: "dropped", timestamp: 0 });
    agent.abort(by);
    agent.services.conversation?.sendMessage(custom("instead"), { deliverAs: "followUp" });
    return undefined;
  });
  expect((await agent.prompt("Begin")).kind).toBe("aborted");
  await agent.waitForIdle();
  expect(server.requests).toHaveLength(by === "hook" ? 2 : 1);
  expect(types(agent)).toContain("instead");
  expect(types(agent).filter((type) => type === "user")).toHaveLength(1);
  expect(agent.core.queues.pending).toBe(false);
});

test("a message that wants no turn waits for the turn's results, and starts no run by itself", async () => {
  const { agent, hooks, server } = await startBench({
    replies: [{ toolCalls: [{ name: "bash", arguments: { command: "true" } }] }, { text: "done" }],
  });
  const send = (name: string): undefined => {
    agent.services.conversation?.sendMessage(custom(name), { triggerTurn: false, deliverAs: "steer" });
  };
  hooks.on("tool.start", () => send("during a call"));
  hooks.on("agent.end", () => send("at the end"));
  await agent.prompt("Go");
  expect(types(agent)).toEqual(["user", "assistant", "toolResult", "during a call", "assistant", "at the end"]);
  expect(sentTo(server, 1).at(-1)).toBe("user: text of during a call");
  expect(server.requests).toHaveLength(2);
});

test("every text that waits while the session is being compacted is sent", async () => {
  const { agent, hooks, notices, server } = await startBench({ replies: [{ text: "one" }, { text: "two" }] });
  let heard = 0;
  hooks.on("input", () => {
    heard += 1;
    return undefined;
  });
  const compaction = Promise.withResolvers<void>();
  const occupied = agent.occupy(() => compaction.promise);
  await expect.poll(() => agent.isOccupied).toBe(true);
  agent.services.conversation?.sendMessage(custom("alarm"), { triggerTurn: true });
  const typed = ["First", "Second"].map((text) => agent.prompt(text, { streaming: "steer" }));
  await expect.poll(() => heard).toBe(2);
  await setImmediate();
  compaction.resolve();
  await Promise.all([occupied, ...typed]);
  await agent.waitForIdle();
  const sent = server.requests.flatMap((_, at) => sentTo(server, at));
  for (const text of ["user: First", "user: Second", "user: text of alarm"]) expect(sent).toContain(text);
  expect(notices()).toEqual([]);
});
