import { taskCall, WITH_TASKS } from "../../support/depth.ts";
import type { Scenario } from "../scenario.ts";

/** A model gives a task to a sub-agent, which runs a command and is sent back once; another is refused. */
export const scenario: Scenario = {
  settings: WITH_TASKS,
  replies: [
    { toolCalls: [taskCall()] },
    { toolCalls: [{ name: "bash", arguments: { command: "echo hi" } }] },
    { text: "not enough" },
    { text: "enough" },
    { toolCalls: [taskCall()] },
    { text: "the end" },
  ],
  async run({ agent, hooks }, recorder) {
    recorder.part("a sub-agent that runs a command and is sent back");
    hooks.on("agent.done", ({ reply }) => (reply === "enough" ? undefined : { feedback: "More." }));
    recorder.once("agent.done", () => hooks.on("agent.spawn", () => ({ cancel: true })));
    await agent.prompt("Ask somebody");
  },
};
