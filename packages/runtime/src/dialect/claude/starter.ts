import type { Starter } from "../about.ts";

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
            // Without it a guard that fails lets the call pass.
            onFailure: "block",
          },
        ],
      },
    ],
  },
};

const SCRIPT = `#!/bin/sh
# Refuses shell commands that delete recursively or by force.
# The event is JSON on stdin. Exit code 2 refuses the call, and the model reads what stands on stderr.
if grep -qE '(\\\\[nt]|[^[:alnum:]_-])rm( +-[[:alnum:]-]+)* +-(-recursive|-force|[[:alnum:]]*[rRf])'; then
  echo "Deleting recursively or by force is not allowed here. Move the files to trash/." >&2
  exit 2
fi
`;

/** A guard: no `rm -r` and no `rm -f` through the shell. */
export const starter: Starter = {
  event: "claude:PreToolUse",
  refused: { tool_name: "Bash", tool_input: { command: "rm -rf build" } },
  files: [
    { path: ".claude/settings.json", text: `${JSON.stringify(SETTINGS, undefined, 2)}\n` },
    { path: ".claude/hooks/no-forced-delete.sh", text: SCRIPT, executable: true },
  ],
};
