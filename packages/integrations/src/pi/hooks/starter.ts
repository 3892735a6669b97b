import type { Starter } from "@hookline/runtime/engine";
import { DELETING, NOT_DELETED, patternLimits } from "../../deleting.ts";

/** A starter guard that refuses `rm -r` and `rm -f` in shell commands. */
export const starter: Starter = {
  event: "pi:tool_call",
  refused: { type: "tool_call", toolCallId: "1", toolName: "bash", input: { command: "rm -rf build" } },
  files: [
    {
      path: ".pi/extensions/guard.ts",
      text: `// A guard for pi and hookline: it refuses shell commands that delete recursively or by force.
// Every extension exports one default function. It is called once, and registers what it wants to hear of.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export default function guard(pi: ExtensionAPI) {
  // Runs before each tool call. A result with \`block\` refuses the call; no result lets it pass.
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
