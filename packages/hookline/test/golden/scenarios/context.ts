import type { Scenario } from "../scenario.ts";

/** Named contexts: an output that is cached, mail to another context, the way there and the mail's arrival. */
export const scenario: Scenario = {
  args: ["--context", "work"],
  settings: { toolOutputCache: { threshold: 100, previewChars: 20 } },
  files: { "long.txt": "a long line of a long file\n".repeat(20) },
  replies: [
    { toolCalls: [{ name: "read", arguments: { path: "long.txt" } }] },
    { toolCalls: [{ name: "send_message", arguments: { to: "home", content: "It is long." } }] },
    { text: "Sent." },
    { text: "I see." },
  ],
  async run({ agent }, recorder) {
    recorder.part("an output for the cache, then a message to another context");
    await agent.prompt("Read it and tell them");
    recorder.part("over to the other context");
    await agent.prompt("/context switch home");
    await agent.prompt("What is new?");
  },
};
