import type { Scenario } from "../scenario.ts";

/** Files of instructions and rules, as they are read again with everything else. */
export const scenario: Scenario = {
  files: {
    "AGENTS.md": "Be brief.",
    "~/.hookline/rules/tests.md": "---\nname: tests\ncondition: skip\n---\nNever skip a test.",
  },
  replies: [{ text: "one" }],
  async run({ agent }) {
    await agent.prompt("/reload");
  },
};
