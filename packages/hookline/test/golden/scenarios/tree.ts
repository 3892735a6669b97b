import type { Scenario } from "../scenario.ts";

/** Moves in one session's tree: kept by a hook, plain, with a summary of the model's, with one of a hook's. */
export const scenario: Scenario = {
  replies: [{ text: "one" }, { text: "two" }, { text: "what the branch was about" }, { text: "again" }],
  async run({ agent, hooks }, recorder) {
    const replies = (): string[] =>
      agent.core.store
        .getEntries()
        .flatMap((entry) => (entry.type === "message" && entry.message.role === "assistant" ? [entry.id] : []));
    await agent.prompt("First");
    await agent.prompt("Second");
    recorder.part("kept by a hook");
    const keep = hooks.on("session.before-tree", () => ({ cancel: true }));
    await agent.prompt(`/tree ${replies()[0]}`);
    keep();
    recorder.part("to the first reply, with a summary");
    await agent.prompt(`/tree ${replies()[0]} --summarize the names`);
    await agent.prompt("Third");
    recorder.part("back, without a summary");
    await agent.prompt(`/tree ${replies()[1]}`);
    recorder.part("to where it is");
    await agent.prompt(`/tree ${replies()[1]}`);
    recorder.part("with a summary of a hook's and a label");
    hooks.on("session.before-tree", () => ({ summary: { summary: "a hook's own" }, label: "here" }));
    await agent.prompt(`/tree ${replies()[2]} --summarize`);
  },
};
