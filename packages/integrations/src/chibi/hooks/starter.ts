import type { Starter } from "@hookline/runtime/engine";
import { DELETING, NOT_DELETED, patternLimits } from "../../deleting.ts";

/** A starter guard that refuses `rm -r` and `rm -f` in shell commands. */
export const starter: Starter = {
  event: "chibi:pre_tool",
  refused: { tool_name: "run_command", arguments: { command: "rm -rf build" } },
  files: [
    {
      path: ".hookline/plugins/guard",
      executable: true,
      text: `#!/usr/bin/env node
// A guard for chibi and hookline: it refuses shell commands that delete recursively or by force.
// A plugin is any executable file. Asked with --schema, it says which hook points it wants to hear of.
if (process.argv[2] === "--schema") {
  console.log(
    JSON.stringify({
      name: "guard",
      description: "Refuses to delete recursively or by force",
      parameters: { type: "object", properties: {} },
      hooks: ["pre_tool"],
    }),
  );
} else if (process.env.CHIBI_HOOK === "pre_tool") {
  // The event is in CHIBI_HOOK_DATA. What is printed decides: nothing lets the call pass, \`block\` refuses it.
  const { tool_name, arguments: args } = JSON.parse(process.env.CHIBI_HOOK_DATA ?? "{}");
  // hookline's shell tool is run_command here.
${patternLimits("//", "  ")}  if (tool_name === "run_command" && ${DELETING}.test(args.command ?? "")) {
    const message = "${NOT_DELETED}";
    console.log(JSON.stringify({ block: true, message }));
  }
}
`,
    },
  ],
};
