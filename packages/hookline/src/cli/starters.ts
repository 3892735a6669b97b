/** The dialects for which there is an example to start from. */
export type StarterDialect = "pi" | "omp" | "jcli" | "chibi";

/** A working example hook: its files below the project's folder, and how it is tried. */
export interface Starter {
  readonly files: readonly { readonly path: string; readonly text: string; readonly executable?: true }[];
  /** The event to fire, and a call that the guard refuses, in the dialect's own words. */
  readonly event: string;
  readonly refused: Readonly<Record<string, unknown>>;
}

const RULE = "/\\brm\\s+-\\w*[rf]/";

/** One guard in each dialect: no `rm -r` and no `rm -f` through the shell. */
export const STARTERS: Readonly<Record<StarterDialect, Starter>> = {
  pi: {
    event: "pi:tool_call",
    refused: { type: "tool_call", toolCallId: "1", toolName: "bash", input: { command: "rm -rf build" } },
    files: [
      {
        path: ".pi/extensions/guard.ts",
        text: `// A guard for pi and hookline: it refuses shell commands that delete recursively or by force.
// Every extension exports one default function. It is called once, and registers what it wants to hear of.
import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";

export default function guard(pi: ExtensionAPI) {
  // Before each tool call. What is returned decides: nothing lets the call pass, \`block\` refuses it.
  pi.on("tool_call", (event) => {
    if (event.toolName !== "bash") return undefined;
    const command = String(event.input.command ?? "");
    if (!${RULE}.test(command)) return undefined;
    // The model reads the reason, so say what it may do instead.
    return { block: true, reason: "Deleting recursively or by force is not allowed here. Move the files to trash/." };
  });
}
`,
      },
    ],
  },
  omp: {
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
    if (!${RULE}.test(command)) return undefined;
    // The model reads the reason, so say what it may do instead.
    return { block: true, reason: "Deleting recursively or by force is not allowed here. Move the files to trash/." };
  });
}
`,
      },
    ],
  },
  jcli: {
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

// The arguments of the call are JSON in themselves.
const { tool_arguments } = JSON.parse(text);
const { command = "" } = JSON.parse(tool_arguments);

// Nothing printed lets the call pass. \`skip\` refuses it, and the model reads the feedback.
if (${RULE}.test(command)) {
  const retry_feedback = "Deleting recursively or by force is not allowed here. Move the files to trash/.";
  console.log(JSON.stringify({ action: "skip", retry_feedback }));
}
`,
      },
    ],
  },
  chibi: {
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
  if (tool_name === "run_command" && ${RULE}.test(args.command ?? "")) {
    const message = "Deleting recursively or by force is not allowed here. Move the files to trash/.";
    console.log(JSON.stringify({ block: true, message }));
  }
}
`,
      },
    ],
  },
};
