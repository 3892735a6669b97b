import type { Scenario } from "../scenario.ts";

/** Compaction by command: by the model, supplied by a hook, cancelled by a hook, with nothing to do. */
export const scenario: Scenario = {
  settings: { compaction: { keepRecentTokens: 200 } },
  replies: [
    {
      when: { systemMatches: "You write summaries", lastUserMatches: "cccc" },
      error: { status: 400, message: "cannot summarise" },
    },
    { when: { systemMatches: "You write summaries" }, text: "a summary", repeat: true },
    { text: "a".repeat(2000) },
    { text: "b".repeat(2000) },
    { text: "c".repeat(2000) },
    { text: "d".repeat(2000) },
  ],
  async run({ agent, hooks }, recorder) {
    recorder.part("nothing to compact");
    await agent.prompt("/compact");
    await agent.prompt("One");
    await agent.prompt("Two");
    recorder.part("by the model, with a wish");
    await agent.prompt("/compact keep the names");
    await agent.prompt("Three");
    recorder.part("cancelled");
    const cancel = hooks.on("compact.before", () => ({ cancel: true }));
    await agent.prompt("/compact");
    cancel();
    recorder.part("supplied by a hook");
    const supply = hooks.on("compact.before", () => ({ compaction: { summary: "a hook's own" } }));
    await agent.prompt("/compact");
    supply();
    await agent.prompt("Four");
    recorder.part("the provider fails");
    await agent.prompt("/compact");
  },
};
