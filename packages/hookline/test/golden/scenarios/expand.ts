import type { Scenario } from "../scenario.ts";

/** A prompt template and a skill that are called by their names. */
export const scenario: Scenario = {
  files: {
    "~/.hookline/prompts/review.md": "Review $1 with care.",
    "~/.hookline/skills/tidy/SKILL.md": "---\nname: tidy\ndescription: Tidies up.\n---\nTidy it.",
  },
  replies: [{ text: "one" }, { text: "two" }],
  async run({ agent }) {
    await agent.prompt("/review a.ts");
    await agent.prompt("/skill:tidy the desk");
  },
};
