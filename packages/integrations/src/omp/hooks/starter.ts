import type { Starter } from "@hookline/runtime/engine";
import { DELETING, NOT_DELETED, patternLimits } from "../../deleting.ts";

/** A starter guard that refuses `rm -r` and `rm -f` in shell commands. */
export const starter: Starter = {
  event: "omp:tool_call",
  refused: { type: "tool_call", toolCallId: "1", toolName: "bash", input: { command: "rm -rf build" } },
  files: [
    {
      path: ".omp/hooks/pre/guard.ts",
      text: `// A guard for oh-my-pi and hookline: it refuses shell commands that delete recursively or by force.
// A hook exports one default function, which must not be async. It registers what it wants to hear of.
import type { HookAPI } from "@oh-my-pi/pi-coding-agent/hooks";

export default function guard(pi: HookAPI) {
  // Before each tool call. A handler that throws refuses the call as well.
  pi.on("tool_call", (event) => {
    if (event.toolName !== "bash") return undefined;
    const command = String(event.input.command ?? "");
${patternLimits("//", "    ")}    if (!${DELETING}.test(command)) return undefined;
    // The model reads the reason, so say what it may do instead.
    return { block: true, reason: "${NOT_DELETED}" };
  });
}
`,
    },
  ],
};
