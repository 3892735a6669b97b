import type { Scenario } from "../scenario.ts";

/** The model chooses what leaves the conversation, and writes the summary with it. */
export const scenario: Scenario = {
  contextWindow: 20_000,
  settings: { compaction: { reserveTokens: 4000, strategy: "rolling" } },
  replies: [
    { text: "one", usage: { input: 100, output: 10 } },
    { text: "two", usage: { input: 100, output: 10 } },
    { text: "three", usage: { input: 17_000, output: 10 } },
    { text: "no list of ids" },
    { text: "a rolling summary" },
  ],
  async run({ agent }, recorder) {
    await agent.prompt("First");
    await agent.prompt("Second");
    recorder.part("the limit is passed by the reply");
    await agent.prompt("Third");
  },
};
