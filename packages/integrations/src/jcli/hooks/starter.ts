import type { Starter } from "@hookline/runtime/engine";
import { DELETING, NOT_DELETED, patternLimits } from "../../deleting.ts";

/** A starter guard that refuses `rm -r` and `rm -f` in shell commands. */
export const starter: Starter = {
  event: "jcli:pre_tool_execution",
  refused: { event: "pre_tool_execution", tool_name: "Bash", tool_arguments: '{"command":"rm -rf build"}' },
  files: [
    {
      path: ".jcli/hooks.yaml",
      text: `# Hooks for j-cli and hookline. The keys are events; each has a list of hooks, which run in order.
pre_tool_execution:
  # Run by \`sh -c\` in the project's folder, with the event as JSON on stdin. What it prints decides.
  - command: node .jcli/guard.mjs
    # Only for this tool, exactly so written; without a filter it would run for each.
    filter:
      tool_name: Bash
    # Seconds.
    timeout: 10
    # A guard that fails refuses the call. With \`skip\`, which is usual, the call would pass.
    on_error: abort
`,
    },
    {
      path: ".jcli/guard.mjs",
      text: `// Refuses shell commands that delete recursively or by force.
let text = "";
for await (const chunk of process.stdin) text += chunk;

// The call's arguments are JSON text.
const { tool_arguments } = JSON.parse(text);
const { command = "" } = JSON.parse(tool_arguments);

${patternLimits("//")}// Nothing printed lets the call pass. \`skip\` refuses it, and the model reads the feedback.
if (${DELETING}.test(command)) {
  const retry_feedback = "${NOT_DELETED}";
  console.log(JSON.stringify({ action: "skip", retry_feedback }));
}
`,
    },
  ],
};
