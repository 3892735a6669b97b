import type { Scenario } from "../scenario.ts";

/** Over the second limit a summary takes the place of what is old: before a prompt, within a run, after an overflow. */
export const scenario: Scenario = {
  files: { "a.txt": "alpha ".repeat(200) },
  contextWindow: 20_000,
  settings: { compaction: { reserveTokens: 4000, keepRecentTokens: 200 } },
  replies: [
    { when: { systemMatches: "You write summaries" }, text: "a summary", repeat: true },
    { text: "short", usage: { input: 100, output: 10 } },
    { text: "y".repeat(4000), usage: { input: 17_000, output: 1000 } },
    { toolCalls: [{ name: "read", arguments: { path: "a.txt" } }], usage: { input: 17_000, output: 20 } },
    { text: "z".repeat(2000), usage: { input: 500, output: 10 } },
    { error: { status: 400, message: "prompt is too long" } },
    { text: "it fits now", usage: { input: 500, output: 10 } },
  ],
  async run({ agent }, recorder) {
    await agent.prompt("Begin");
    recorder.part("the limit is passed by the reply");
    await agent.prompt("Say much");
    recorder.part("the limit is passed between two turns");
    await agent.prompt("Read");
    recorder.part("the provider says that the request is too long");
    await agent.prompt("Go on");
  },
};
