import type { Scenario } from "../scenario.ts";

/** Commands of the person's own: for the shell and for Python, in and outside the context, taken over by hooks. */
export const scenario: Scenario = {
  replies: [{ text: "seen" }],
  async run({ agent, hooks }, recorder) {
    recorder.part("in the context, outside it, with a result of a hook's");
    await agent.prompt("!echo shown");
    await agent.prompt("!!echo hidden");
    hooks.on("python.user", () => ({ result: { output: "42", cancelled: false, truncated: false } }));
    await agent.prompt("$ 6 * 7");
    recorder.part("what the model sees of it");
    await agent.prompt("Well?");
  },
};
