import type { Scenario } from "../scenario.ts";

/** From session to session, and the hooks loaded anew. */
export const scenario: Scenario = {
  replies: [{ text: "one" }, { text: "two" }],
  async run({ agent, hooks }, recorder) {
    await agent.prompt("First");
    const first = agent.core.store.getSessionFile();
    recorder.part("kept by a hook");
    const keep = hooks.on("session.before-switch", () => ({ cancel: true }));
    await agent.prompt("/new");
    keep();
    recorder.part("a new session");
    await agent.prompt("/new");
    recorder.part("another model");
    await agent.prompt("/model loop/other");
    await agent.prompt("Second");
    recorder.part("the first session again, with its model");
    await agent.prompt(`/resume ${first}`);
    recorder.part("the context emptied, the session named");
    await agent.prompt("/clear");
    await agent.prompt("/name a name");
    recorder.part("everything loaded anew");
    await agent.prompt("/reload");
  },
};
