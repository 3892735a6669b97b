import type { Scenario } from "../scenario.ts";

/** A call that runs, one that fails, one that cannot run, one that a hook refuses, and a final reply. */
export const scenario: Scenario = {
  files: { "a.txt": "alpha\n" },
  replies: [
    { text: "I read.", toolCalls: [{ name: "read", arguments: { path: "a.txt" } }] },
    { toolCalls: [{ name: "read", arguments: { path: "missing.txt" } }] },
    {
      toolCalls: [
        { name: "nothing", arguments: {} },
        { name: "read", argumentsRaw: '{"path": ' },
      ],
    },
    { toolCalls: [{ name: "bash", arguments: { command: "rm -rf /" } }] },
    { text: "Done." },
  ],
  async run({ agent, hooks }, recorder) {
    hooks.on("tool.before", ({ tool }) => (tool === "bash" ? { decision: "deny", reason: "no" } : undefined));
    recorder.part("a prompt with five requests");
    await agent.prompt("Look around");
  },
};
