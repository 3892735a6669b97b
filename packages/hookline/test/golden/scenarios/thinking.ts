import { selectThinking } from "../../../src/agent/select.ts";
import type { Scenario } from "../scenario.ts";

/** Another thinking level, between two prompts and while one runs; the same level again is none. */
export const scenario: Scenario = {
  reasoning: true,
  replies: [{ toolCalls: [{ name: "ls", arguments: {} }] }, { text: "done" }],
  async run({ agent }, recorder) {
    await selectThinking(agent, "high");
    await selectThinking(agent, "high");
    recorder.once("tool.end", () => void selectThinking(agent, "low"));
    await agent.prompt("Think");
  },
};
