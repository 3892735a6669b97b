import type { Scenario } from "../scenario.ts";

/** Messages that come while the agent runs: steering before the next turn, follow-ups at the end, one at a time. */
export const scenario: Scenario = {
  files: { "a.txt": "alpha\n" },
  replies: [
    { toolCalls: [{ name: "read", arguments: { path: "a.txt" } }] },
    { text: "one" },
    { text: "two" },
    { text: "three" },
    { text: "four" },
    { text: "next prompt" },
  ],
  async run({ agent }, recorder) {
    const send = agent.services.conversation;
    const custom = (customType: string) => ({ customType, content: customType, display: true });
    recorder.once("tool.before", () => {
      send?.sendMessage(custom("follow-up"), { deliverAs: "followUp" });
      send?.sendMessage(custom("steer"), { deliverAs: "steer" });
      send?.sendMessage(custom("next-turn"), { deliverAs: "nextTurn" });
      void agent.prompt("typed steer", { streaming: "steer" });
      void agent.prompt("typed follow-up", { streaming: "followUp" });
    });
    recorder.part("queued in one tool call: two to steer, two to follow, one for the next prompt");
    await agent.prompt("Begin");
    recorder.part("the next prompt");
    await agent.prompt("And now");
  },
};
