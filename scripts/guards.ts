/** A guard as an author might have it in the home folder. It refuses only the tool `write`. */
export interface Guard {
  readonly kind: string;
  /** Path of the guard's file, relative to the home folder. */
  readonly path: string;
  readonly text: string;
  readonly executable?: true;
}

const MODULE = `export default function guard(api) {
  api.on("tool_call", (event) => (event.toolName === "write" ? { block: true, reason: "read only" } : undefined));
}
`;

/** The module with types, which must be erased before it runs. */
const TYPED = MODULE.replace("(api)", "(api: any)").replace("(event)", "(event: { toolName: string })");

const PLUGIN = `#!/bin/sh
if [ "$1" = --schema ]; then
  echo '{"name":"guard","description":"no writing","parameters":{"type":"object","properties":{}},"hooks":["pre_tool"]}'
elif printf %s "$CHIBI_HOOK_DATA" | grep -q '"tool_name":"write"'; then
  echo '{"block":true,"message":"read only"}'
fi
`;

/** One guard of each kind that hookline runs. */
export const GUARDS: readonly Guard[] = [
  { kind: "pi extension", path: ".pi/agent/extensions/guard.ts", text: TYPED },
  { kind: "pi extension in JavaScript", path: ".pi/agent/extensions/guard.js", text: MODULE },
  { kind: "omp hook", path: ".omp/agent/hooks/pre/guard.ts", text: TYPED },
  { kind: "omp extension", path: ".omp/agent/extensions/guard.ts", text: TYPED },
  {
    kind: "j-cli hook",
    path: ".jdata/agent/hooks.yaml",
    text: `pre_tool_execution:\n  - command: echo '{"action":"skip","retry_feedback":"read only"}'\n    filter: { tool_name: Write }\n`,
  },
  { kind: "chibi plugin", path: ".chibi/plugins/guard", text: PLUGIN, executable: true },
];

/** A model that writes a file and then replies. */
export const WRITES = `replies:
  - toolCalls: [{ name: write, arguments: { path: made.txt, content: made } }]
  - text: That was all.
`;
