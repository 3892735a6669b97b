import { expect, test } from "vitest";
import { startBench } from "./bench.ts";

/** Every text name on an object and on what it inherits from, internals included. */
const NAMES = `function names(object) {
  const found = new Set();
  for (let part = object; part !== null && part !== Object.prototype; part = Object.getPrototypeOf(part))
    for (const name of Object.getOwnPropertyNames(part)) found.add(name);
  return [...found].filter((name) => name !== "constructor").sort();
}`;

const EVENTS = [
  ...["abort", "compact", "cwd", "getContextUsage", "getSystemPrompt", "hasPendingMessages", "hasUI", "isIdle"],
  ...["isProjectTrusted", "mode", "model", "modelRegistry", "scopedModels", "sessionManager", "shutdown", "signal"],
  ...["thinkingLevel", "ui"],
];
const COMMANDS = [
  ...["fork", "getSystemPromptOptions", "navigateTree", "newSession", "reload", "switchSession", "waitForIdle"],
];
/** Kept for extensions of earlier releases. */
const EARLIER = ["hasQueuedMessages"];

const FULL = {
  id: "full",
  name: "Full",
  reasoning: true,
  thinkingLevelMap: { xhigh: "most" },
  input: ["text"],
  inputLimits: { images: 1 },
  cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 },
  promptCache: { ttl: 5 },
  contextWindow: 1000,
  maxTokens: 100,
  samplingParams: { top_k: 1 },
  headers: { "x-one": "1" },
  compat: { supportsStore: false },
};

async function seenBy(source: string): Promise<any[]> {
  const { agent } = await startBench({
    replies: [],
    args: ["--model", "local/full"],
    files: {
      "~/.hookline/models.json": JSON.stringify({
        providers: {
          local: { baseUrl: "http://127.0.0.1:9/v1", api: "openai-completions", apiKey: "k", models: [FULL] },
        },
      }),
      ".pi/extensions/looks.ts": `${NAMES}\nexport default (pi) => {\n${source}\n};`,
    },
  });
  await agent.prompt("/look");
  return agent.core.store
    .getEntries()
    .flatMap((entry) => (entry.type === "custom" && entry.customType === "seen" ? [entry.data] : []));
}

test("a context has exactly pi's named members", async () => {
  const [event, command] = await seenBy(`
    pi.on("session_start", (_event, ctx) => pi.appendEntry("seen", names(ctx)));
    pi.registerCommand("look", { handler: async (_args, ctx) => pi.appendEntry("seen", names(ctx)) });`);
  expect(event).toEqual([...EVENTS, ...EARLIER].sort());
  expect(command).toEqual([...EVENTS, ...COMMANDS, ...EARLIER].sort());
});

test("the model has everything in its definition, so that a copy of it loses nothing", async () => {
  const [model] = await seenBy(`
    pi.registerCommand("look", { handler: async (_args, ctx) => pi.appendEntry("seen", { ...ctx.model }) });`);
  expect(model).toEqual({ ...FULL, api: "openai-completions", provider: "local", baseUrl: "http://127.0.0.1:9/v1" });
});

test("a listed tool has its guidelines for the prompt", async () => {
  const [tools] = await seenBy(`
    pi.registerTool({ name: "mine", label: "Mine", description: "d", parameters: { type: "object", properties: {} },
      promptGuidelines: ["Use mine."], async execute() { return { content: [] }; } });
    pi.registerCommand("look", { handler: async () => pi.appendEntry("seen", pi.getAllTools()) });`);
  const guidelines = Object.fromEntries(tools.map(({ name, promptGuidelines }: any) => [name, promptGuidelines]));
  expect(guidelines).toMatchObject({ mine: ["Use mine."], read: [expect.any(String)] });
});

test("hooks are told that a manual compaction found nothing to do", async () => {
  const seen = await seenBy(`
    pi.on("session_compact_failed", (event) => pi.appendEntry("seen", event));
    pi.registerCommand("look", { handler: (_args, ctx) => new Promise((done) => ctx.compact({ onError: done })) });`);
  expect(seen).toEqual([
    {
      type: "session_compact_failed",
      reason: "manual",
      errorMessage: "Compaction failed: Nothing to compact (session too small)",
      aborted: false,
      willRetry: false,
      fromExtension: false,
    },
  ]);
});

test("the store has the session's usage, and the folder for its artifacts", async () => {
  const { agent } = await startBench({
    replies: [{ text: "one" }],
    files: {
      ".omp/extensions/looks.ts": `export default (pi) => {
        pi.registerCommand("look", { handler: async (_args, { sessionManager: store }) =>
          pi.appendEntry("seen", [store.getUsageStatistics(), store.getArtifactsDir(), store.getRecordedCwd()]) });
      };`,
    },
  });
  await agent.prompt("hello");
  await agent.prompt("/look");
  const { store } = agent.core;
  const [seen] = store.getEntries().flatMap((entry) => (entry.type === "custom" ? [entry.data] : []));
  const reply = store.getEntries().find((entry) => entry.type === "message" && entry.message.role === "assistant");
  const { input, output, totalTokens } = (reply as any).message.usage;
  expect(seen).toEqual([
    expect.objectContaining({ input, output, totalTokens, premiumRequests: 0, cost: expect.any(Number) }),
    store.getSessionFile()?.replace(/\.jsonl$/, "") ?? null,
    store.getCwd(),
  ]);
});
