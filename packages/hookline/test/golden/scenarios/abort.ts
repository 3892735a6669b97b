import type { Scenario } from "../scenario.ts";

const wait = (command: string) => ({ name: "bash", arguments: { command } });

/** Aborted before calls have begun, while one runs, and while a reply comes. */
export const scenario: Scenario = {
  replies: [
    { toolCalls: [wait("echo never"), wait("echo never either")] },
    { toolCalls: [wait("sleep 60")] },
    { text: "a reply that is cut off in the middle", fault: "stall" },
    { text: "after all" },
  ],
  async run({ agent, hooks }, recorder) {
    let calls = 0;
    hooks.on("tool.before", () => {
      calls += 1;
      if (calls === 2) agent.abort();
      return undefined;
    });
    recorder.part("aborted in the judgement of the second call");
    await agent.prompt("Work");
    recorder.part("aborted while a call runs");
    recorder.once("tool.update", () => agent.abort());
    await agent.prompt("Work on");
    recorder.part("aborted while the reply comes");
    recorder.once("message.update", () => agent.abort());
    await agent.prompt("Talk");
    recorder.part("the next prompt");
    await agent.prompt("Again");
  },
};
