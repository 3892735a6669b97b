import type { HookTexts, SizeLimit } from "@hookline/ground";

/** Claude Code's limits on the texts of its hooks. Source: spec/claude.md 3, 5. */
export const CLAUDE_SIZE_LIMITS = {
  claudeText: { most: 10_000, unit: "characters" },
  terminalNote: { most: 512, unit: "characters" },
  terminalNotes: { most: 8, unit: "notes" },
} as const satisfies Readonly<Record<string, SizeLimit>>;

/** The texts in answers of Claude Code's hooks, with their limits. Source: spec/claude.md 3, 5. */
export const CLAUDE_TEXTS: HookTexts = {
  fields: ["ruling.reason", "block", "halt.reason", "remark", "additionalContext"],
  most: CLAUDE_SIZE_LIMITS.claudeText.most,
};
