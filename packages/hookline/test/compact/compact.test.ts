import { expect, test } from "vitest";
import { sentTo, startBench } from "../agent/bench.ts";
import { shown } from "./talk.ts";

const summariser = { systemMatches: "You write summaries" };
const a = "a".repeat(2000);
const settings = { compaction: { keepRecentTokens: 200 } };

test("a compaction that a hook supplies is stored as it is, and the model is not asked", async () => {
  const { agent, hooks, server } = await startBench({ settings, replies: [{ text: a }, { text: a }] });
  await agent.prompt("One");
  await agent.prompt("Two");
  const kept = agent.core.store.getLeafId();
  hooks.on("compact.before", () => ({
    compaction: {
      summary: "mine",
      firstKeptEntryId: kept,
      tokensBefore: 999,
      details: { x: 1 },
      preserveData: { y: 2 },
    },
  }));
  const seen: unknown[] = [];
  hooks.on("compact.after", ({ fromExtension, compactionEntry }) => {
    seen.push({ fromExtension, compactionEntry });
    return undefined;
  });
  await agent.prompt("/compact");
  const stored = {
    summary: "mine",
    firstKeptEntryId: kept,
    tokensBefore: 999,
    details: { x: 1 },
    preserveData: { y: 2 },
    fromHook: true,
  };
  expect(agent.core.store.getLeafEntry()).toMatchObject(stored);
  expect(seen).toMatchObject([{ fromExtension: true, compactionEntry: stored }]);
  expect(server.requests).toHaveLength(2);
});

test("a summary keeps to the person's wish, the hooks' prompt and context, and names the files", async () => {
  const { agent, hooks, server } = await startBench({
    settings,
    files: { "seen.txt": "s" },
    replies: [
      { toolCalls: [{ name: "read", arguments: { path: "seen.txt" } }] },
      { text: a },
      { text: a },
      { when: summariser, text: "short", repeat: true },
    ],
  });
  hooks.on("compact.before", () => ({ instructions: ["Leave out the weather."] }));
  hooks.on("compact.prompt", () => ({ prompt: "Sum it up.", context: ["it rained"], preserveData: { kept: true } }));
  await agent.prompt("One");
  await agent.prompt("Two");
  await agent.prompt("/compact the names");
  const request = server.requests.findIndex(({ body }) => JSON.stringify(body).includes("You write summaries"));
  const [system = "", prompt = ""] = sentTo(server, request);
  expect(system).toMatch(/Leave out the weather\.$/);
  expect(prompt).toContain("- it rained");
  expect(prompt).toContain("Sum it up.\n\nAbove all: the names");
  const entry = agent.core.store.getEntries().find(({ type }) => type === "compaction");
  expect(entry).toMatchObject({
    details: { readFiles: ["seen.txt"], modifiedFiles: [] },
    preserveData: { kept: true },
    thinkingLevel: "off",
  });
});

test("hooks may edit what a compaction leaves", async () => {
  const { agent, hooks } = await startBench({
    settings,
    replies: [{ text: a }, { text: a }, { when: summariser, text: "short", repeat: true }],
  });
  hooks.on("compact.after", ({ messages }) => ({
    messages: messages.map((message) =>
      message.role === "compactionSummary" ? { ...message, summary: "edited" } : message,
    ),
  }));
  await agent.prompt("One");
  await agent.prompt("Two");
  await agent.prompt("/compact");
  expect(shown(agent.core.store)[0]).toBe("summary: edited");
});

test("a compaction that fails is reported, changes nothing, and is not tried again in the same prompt", async () => {
  const bench = await startBench({
    contextWindow: 20_000,
    settings: { compaction: { reserveTokens: 4000, keepRecentTokens: 10 } },
    replies: [
      { text: a, usage: { input: 100 } },
      { when: summariser, error: { status: 400, message: "no" }, repeat: true },
      { toolCalls: [{ name: "ls" }], usage: { input: 17_000 } },
      { toolCalls: [{ name: "ls" }], usage: { input: 17_000 } },
      { text: "done", usage: { input: 17_000 } },
    ],
  });
  const { agent, hooks } = bench;
  const heard: string[] = [];
  for (const event of ["compact.auto-start", "compact.failed", "compact.auto-end"] as const)
    hooks.on(event, () => {
      heard.push(event);
      return undefined;
    });
  await agent.prompt("One");
  expect(await agent.prompt("Two")).toMatchObject({ kind: "answered", text: "done" });
  expect(heard).toEqual(["compact.auto-start", "compact.failed", "compact.auto-end"]);
  expect(agent.core.store.getEntries().some(({ type }) => type === "compaction")).toBe(false);
});

test("an overflow is compacted and sent again once; a second one is the end", async () => {
  const overflow = { error: { status: 400, message: "prompt is too long" } };
  const { agent, server } = await startBench({
    settings,
    replies: [{ text: a }, { when: summariser, text: "short", repeat: true }, overflow, overflow],
  });
  await agent.prompt("One");
  const result = await agent.prompt("Two");
  expect(result).toMatchObject({ kind: "failed" });
  const requests = server.requests.filter(({ body }) => !JSON.stringify(body).includes("You write summaries"));
  expect(requests).toHaveLength(3);
});

test("automatic compaction can be switched off, by hand it still works", async () => {
  const { agent, server } = await startBench({
    contextWindow: 20_000,
    settings: { compaction: { enabled: false, keepRecentTokens: 200 } },
    replies: [
      { text: a, usage: { input: 19_000 } },
      { text: a, usage: { input: 19_000 } },
      { when: summariser, text: "short", repeat: true },
    ],
  });
  await agent.prompt("One");
  await agent.prompt("Two");
  expect(server.requests).toHaveLength(2);
  expect(await agent.prompt("/compact")).toEqual({ kind: "command" });
  expect(shown(agent.core.store)[0]).toMatch(/^summary: short/);
});

test("a compaction that is aborted says so and changes nothing", async () => {
  const { agent, hooks } = await startBench({
    settings,
    replies: [{ text: a }, { text: a }, { when: summariser, text: "slow", fault: "stall" }],
  });
  await agent.prompt("One");
  await agent.prompt("Two");
  hooks.on("compact.prompt", () => {
    setTimeout(() => agent.abort());
    return undefined;
  });
  expect(await agent.prompt("/compact")).toEqual({ kind: "failed", error: "Compaction cancelled" });
  expect(agent.core.store.getLeafEntry()?.type).toBe("message");
});

test("context usage is not known between a compaction and the next reply", async () => {
  const { agent } = await startBench({
    settings,
    replies: [
      { text: a, usage: { input: 600 } },
      { text: a, usage: { input: 1000 } },
      { when: summariser, text: "short", repeat: true },
      { text: "new", usage: { input: 300 } },
    ],
  });
  const usage = () => agent.services.agent?.contextUsage();
  await agent.prompt("One");
  await agent.prompt("Two");
  expect(usage()).toEqual({ tokens: 1000, contextWindow: 100_000, percent: 1 });
  await agent.prompt("/compact");
  expect(usage()).toEqual({ tokens: null, contextWindow: 100_000, percent: null });
  await agent.prompt("Three");
  expect(usage()?.tokens).toBe(300);
});
