import type { Starter } from "@hookline/runtime/engine";
import { NOT_DELETED, patternLimits } from "../../deleting.ts";

const SETTINGS = {
  hooks: {
    PreToolUse: [
      {
        matcher: "Bash",
        hooks: [
          {
            type: "command",
            command: '"$CLAUDE_PROJECT_DIR"/.claude/hooks/no-forced-delete.sh',
            timeout: 10,
            // Without `onFailure`, a call passes when the guard fails.
            onFailure: "block",
          },
        ],
      },
    ],
  },
};

/** Matches what `DELETING` matches, but in the raw JSON of an event, where a line break is \n and a tab is \t. */
const RULE = String.raw`(\\[nt]|[^[:alnum:]_-])rm(( |\\t)([^;&|\\"]|\\\\\\n|\\[^n])*)?( |\\t)-(-[rf]|[[:alpha:]]*[rRf])`;

const SCRIPT = `#!/bin/sh
# Refuses shell commands that delete recursively or by force.
# The event is JSON on stdin. Exit code 2 refuses the call, and the model reads what stands on stderr.
${patternLimits("#")}if grep -qE '${RULE}'; then
  echo "${NOT_DELETED}" >&2
  exit 2
fi
`;

/** A starter guard that refuses `rm -r` and `rm -f` in shell commands. */
export const starter: Starter = {
  event: "claude:PreToolUse",
  refused: { tool_name: "Bash", tool_input: { command: "rm -rf build" } },
  files: [
    { path: ".claude/settings.json", text: `${JSON.stringify(SETTINGS, undefined, 2)}\n` },
    { path: ".claude/hooks/no-forced-delete.sh", text: SCRIPT, executable: true },
  ],
};
