import type { Scenario } from "../scenario.ts";

/** A hook wants the person to decide: once they agree, once they do not. */
export const scenario: Scenario = {
  mode: "rpc",
  ui: { confirm: async (_title, message) => !message.includes("two") },
  replies: [
    { toolCalls: [{ name: "ls", arguments: { path: "one" } }] },
    { toolCalls: [{ name: "ls", arguments: { path: "two" } }] },
    { text: "done" },
  ],
  files: { "one/a": "", "two/b": "" },
  async run({ agent, hooks }) {
    hooks.on("tool.before", () => ({ decision: "ask", reason: "It looks." }));
    await agent.prompt("Look");
  },
};
