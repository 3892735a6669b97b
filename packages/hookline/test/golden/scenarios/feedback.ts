import type { Scenario } from "../scenario.ts";

/** Hooks send the model back: before the prompt, before a request, after a reply, at the end; or stop for good. */
export const scenario: Scenario = {
  replies: [
    { text: "one" },
    { text: "two" },
    { text: "discarded" },
    { text: "three" },
    { text: "not enough" },
    { text: "enough" },
  ],
  async run({ agent, hooks }, recorder) {
    recorder.part("a prompt that is replaced by feedback");
    const first = hooks.on("prompt.before", () => ({ stop: true, feedback: "Ask politely." }));
    await agent.prompt("Now!");
    first();
    recorder.part("a request that is stopped with feedback, then let through");
    let stopped = false;
    const second = hooks.on("model.context", () => {
      if (stopped) return undefined;
      stopped = true;
      return { stop: true, feedback: "Think first." };
    });
    await agent.prompt("Again");
    second();
    recorder.part("a reply that is discarded with feedback");
    const third = hooks.on("model.response", ({ text }) =>
      text === "discarded" ? { stop: true, feedback: "Say it differently." } : undefined,
    );
    await agent.prompt("Say it");
    third();
    recorder.part("a reply that is not enough");
    const fourth = hooks.on("agent.stop", ({ reply }) => (reply === "enough" ? undefined : { feedback: "More." }));
    await agent.prompt("All of it");
    fourth();
    recorder.part("stopped without feedback");
    hooks.on("prompt.before", () => ({ stop: true }));
    await agent.prompt("Never");
  },
};
