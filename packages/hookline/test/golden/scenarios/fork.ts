import type { Scenario } from "../scenario.ts";

/** A session forked before a message, copied whole, and kept by a hook. */
export const scenario: Scenario = {
  replies: [{ text: "one" }, { text: "two" }, { text: "other" }],
  async run({ agent, hooks }, recorder) {
    await agent.prompt("First");
    await agent.prompt("Second");
    const second = agent.core.store
      .getBranch()
      .findLast((entry) => entry.type === "message" && entry.message.role === "user");
    recorder.part("kept by a hook");
    const keep = hooks.on("session.before-branch", () => ({ cancel: true }));
    await agent.prompt(`/fork ${second?.id}`);
    keep();
    recorder.part("before the second message");
    await agent.prompt(`/fork ${second?.id}`);
    await agent.prompt("Something else");
    recorder.part("the whole path");
    await agent.services.control?.branch(agent.core.store.getLeafId() ?? "", { position: "at" });
  },
};
