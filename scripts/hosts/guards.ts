import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A kind of call. A guard of this kind refuses the calls whose arguments contain the guard's word. */
export type Kind = "run" | "write" | "edit" | "read" | "search" | "fetch" | "mcp" | "spawn" | "notebook";

/** The dialects in which there are guards. */
export const DIALECTS = ["omp", "pi", "jcli", "chibi", "claude"] as const;
/** A dialect in which there are guards. */
export type GuardDialect = (typeof DIALECTS)[number];

/**
 * The matchers of each dialect's guards, in the dialect's own names. If a kind is missing, the dialect has no guard for
 * it.
 */
const TOOLS: Readonly<Record<GuardDialect, Readonly<Partial<Record<Kind, string>>>>> = {
  pi: {
    run: "bash",
    write: "write",
    edit: "edit",
    read: "read",
    search: "grep",
    fetch: "fetch",
    mcp: "mcp__rig__echo",
  },
  // oh-my-pi does not show the prompt to the guard of sub-agents, so that guard judges the call before the start.
  omp: {
    run: "bash",
    write: "write",
    edit: "edit",
    read: "read",
    search: "grep",
    fetch: "fetch",
    mcp: "mcp__rig__echo",
    spawn: "before_subagent_spawn",
  },
  jcli: {
    run: "Bash",
    write: "Write",
    edit: "Edit",
    read: "Read",
    search: "Grep",
    fetch: "fetch",
    mcp: "mcp__rig__echo",
  },
  chibi: {
    run: "run_command",
    write: "write",
    edit: "edit",
    read: "read_file",
    search: "grep",
    fetch: "fetch",
    mcp: "mcp__rig__echo",
  },
  claude: {
    run: "Bash",
    write: "Write",
    edit: "Edit|MultiEdit",
    read: "Read",
    search: "Grep",
    fetch: "WebFetch",
    mcp: "mcp__rig__echo",
    spawn: "Agent|Task",
    notebook: "NotebookEdit",
  },
};

/** Returns the word in a call's arguments that the guard of this kind and dialect refuses. */
export function wordOf(kind: Kind, dialect: GuardDialect): string {
  return `no-${kind}-${dialect}`;
}

/**
 * Returns a pattern for such arguments, as JSON or as JSON within JSON: a fetch is judged by its address, whatever else
 * the call says.
 */
function patternOf(kind: Kind, dialect: GuardDialect): string {
  return `${kind === "fetch" ? 'url\\\\*":\\\\*"[^"]*' : ""}${wordOf(kind, dialect)}`;
}

/** Returns the text of a refusal for the model; with no dialect, the part that all guards share. */
export function reasonOf(dialect: GuardDialect | "" = ""): string {
  return `REFUSED-${dialect}`;
}

/** Whether a dialect has a guard of this kind. */
export function hasGuard(dialect: GuardDialect, kind: Kind): boolean {
  return TOOLS[dialect][kind] !== undefined;
}

/** Words that the hooks other than guards use. */
export const WORDS = {
  goOn: { claude: "GO-ON-claude", jcli: "GO-ON-jcli" },
  secret: "TOP-SECRET",
  redacted: "[redacted]",
  written: "as-written",
  rewritten: "as-rewritten",
  context: "CONTEXT-IS-HERE",
  fails: "fail-now",
  broken: "GUARD-IS-BROKEN",
} as const;

/** A hook file: its text, and the names of its hooks in `bridge report`. */
interface HookFile {
  readonly path: string;
  readonly dialect: GuardDialect;
  readonly text: string;
  readonly executable?: true;
}

const inProcess = (dialect: "pi" | "omp"): string => {
  const { spawn: _, ...tools } = TOOLS[dialect];
  const patterns = Object.fromEntries(
    Object.entries(tools).map(([kind, tool]) => [tool, patternOf(kind as Kind, dialect)]),
  );
  return `const PATTERNS = ${JSON.stringify(patterns)}; export default function guards(pi) {
  let asked = "";
  pi.on("tool_call", ({ toolName, input }) => {
    const pattern = PATTERNS[toolName];
    asked = JSON.stringify(input);
    if (pattern !== undefined && new RegExp(pattern).test(asked))
      return { block: true, reason: "${reasonOf(dialect)}" };
  });
${
  dialect === "omp"
    ? `  pi.on("before_subagent_spawn", () =>
    asked.includes("${wordOf("spawn", "omp")}") ? { block: true, reason: "${reasonOf("omp")}" } : undefined);
`
    : ""
}}
`;
};

const REWRITE = `export default function rewrite(pi) {
  pi.on("tool_call", (event) => {
    const { command } = event.input;
    if (typeof command === "string") event.input.command = command.replace("${WORDS.written}", "${WORDS.rewritten}");
  });
}
`;

const REDACTOR = `export default function redact(pi) {
  pi.on("tool_result", (event) => ({
    content: event.content.map((block) =>
      block.type === "text" ? { ...block, text: block.text.replaceAll("${WORDS.secret}", "${WORDS.redacted}") } : block,
    ),
  }));
}
`;

const CHIBI = `#!/bin/sh
if [ "$1" = --schema ]; then
  echo '{"name":"guard","description":"guards","parameters":{"type":"object","properties":{}},"hooks":["pre_tool"]}'
else
  case "$CHIBI_HOOK_DATA" in
${Object.entries(TOOLS.chibi)
  .map(
    ([kind, tool]) =>
      `    *'"tool_name":"${tool}"'*${kind === "fetch" ? "url*" : ""}${wordOf(kind as Kind, "chibi")}*) refused=1 ;;`,
  )
  .join("\n")}
  esac
  [ -z "$refused" ] || echo '{"block":true,"message":"${reasonOf("chibi")}"}'
fi
`;

/** Returns a shell command that refuses if the event contains the word. */
const refusing = (kind: Kind, dialect: GuardDialect, refuse: string): string =>
  `if grep -q '${patternOf(kind, dialect)}'; then ${refuse}; fi`;

const JCLI = [
  "pre_tool_execution:",
  ...Object.entries(TOOLS.jcli).map(([kind, tool]) => {
    const said = JSON.stringify({ action: "skip", retry_feedback: reasonOf("jcli") });
    const command = JSON.stringify(refusing(kind as Kind, "jcli", `echo '${said}'`));
    return `  - { command: ${command}, filter: { tool_name: ${tool} } }`;
  }),
  "stop:",
  `  - { command: ${JSON.stringify(`cat > /dev/null; echo '{"retry_feedback":"${WORDS.goOn.jcli}"}'`)} }`,
  "",
].join("\n");

/** Returns Claude Code's settings, with one hook on each line. */
function settings(): string {
  const entry = (command: string, matcher?: string): string =>
    JSON.stringify({ ...(matcher !== undefined && { matcher }), hooks: [{ type: "command", command }] });
  const guards = Object.entries(TOOLS.claude).map(([kind, matcher]) =>
    entry(refusing(kind as Kind, "claude", `echo ${reasonOf("claude")} >&2; exit 2`), matcher),
  );
  const broken = entry(`if grep -q ${WORDS.fails}; then echo ${WORDS.broken} >&2; exit 1; fi`, "Bash");
  const said = { hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: WORDS.context } };
  const events = {
    PreToolUse: [...guards, broken],
    UserPromptSubmit: [entry(`echo '${JSON.stringify(said)}'`)],
    Stop: [entry(`cat > /dev/null; echo '${JSON.stringify({ decision: "block", reason: WORDS.goOn.claude })}'`)],
  };
  const lists = Object.entries(events).map(([event, lines]) => `"${event}": [\n${lines.join(",\n")}\n]`);
  return `{ "hooks": {\n${lists.join(",\n")}\n} }\n`;
}

/** The files of hooks, each at the place in the home folder where its own program looks for it. */
export const HOOK_FILES: readonly HookFile[] = [
  { dialect: "pi", path: ".pi/agent/extensions/guards.ts", text: inProcess("pi") },
  { dialect: "omp", path: ".omp/agent/extensions/guards.ts", text: inProcess("omp") },
  { dialect: "jcli", path: ".hookline/hooks.yaml", text: JCLI },
  { dialect: "chibi", path: ".hookline/plugins/guard", text: CHIBI, executable: true },
  { dialect: "claude", path: ".claude/settings.json", text: settings() },
  { dialect: "omp", path: ".omp/agent/extensions/rewrite.ts", text: REWRITE },
  { dialect: "pi", path: ".pi/agent/extensions/redact.ts", text: REDACTOR },
];

/** Writes the hooks to a home folder. */
export function writeHooks(home: string): void {
  for (const { path, text, executable } of HOOK_FILES) {
    const full = join(home, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
    if (executable) chmodSync(full, 0o755);
  }
}

/** Returns a hook's place: its file and, in a file with one hook on each line, the line that contains this text. */
export function placeOf(path: string, text?: string): string {
  const lines = HOOK_FILES.find((file) => file.path === path)?.text.split("\n") ?? [];
  const line = text === undefined ? -1 : lines.findIndex((line) => line.includes(text));
  return line === -1 ? path : `${path}:${line + 1}`;
}

/** Returns the place of the guard of this kind and dialect. */
export function guardPlace(kind: Kind, dialect: GuardDialect): string {
  const { path = "" } = HOOK_FILES.find((file) => file.dialect === dialect) ?? {};
  return placeOf(path, ["claude", "jcli"].includes(dialect) ? wordOf(kind, dialect) : undefined);
}
