import type { Scenario } from "../scenario.ts";

const long = "x".repeat(2000);

/** Over the first limit old tool results are folded; the newest ten stay. */
export const scenario: Scenario = {
  files: { "long.txt": long },
  contextWindow: 40_000,
  settings: { compaction: { reserveTokens: 10_000, microAt: 10 } },
  replies: [
    ...Array.from({ length: 12 }, () => ({ toolCalls: [{ name: "read", arguments: { path: "long.txt" } }] })),
    { text: "Read it twelve times." },
  ],
  async run({ agent }, recorder) {
    recorder.part(`a prompt with twelve results of ${long.length} characters`);
    await agent.prompt("Read it often");
  },
};
