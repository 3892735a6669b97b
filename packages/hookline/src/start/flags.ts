import { abouts } from "@hookline/integrations/abouts";
import { THINKING_LEVELS } from "../provider/thinking.ts";
import { BUILTIN } from "../tool/names.ts";
import { FLEET_FLAGS } from "./fleet-flags.ts";

const IDS = Object.keys(abouts);

/** Commands that load the hooks of a folder. `agent` is a run of the agent itself, the others are subcommands. */
const LOADING: readonly string[] = [
  "agent",
  "hooks list",
  "hooks explain",
  "hooks fire",
  "hooks test",
  "hooks shadow",
  "hooks enforce",
  "guards list",
  "guards try",
  "replay",
  "doctor",
  "mcp list",
  "bridge install",
  "bridge report",
];

/** Commands that find the hooks of a folder: all that load them, and two that only list or approve them. */
const FINDING: readonly string[] = [...LOADING, "trust list", "trust approve"];

/** Commands that can print JSON. `agent` is a run of the agent itself, the others are subcommands or groups of them. */
const PRINTING: readonly string[] = [
  "agent",
  "hooks",
  "guards",
  "trust",
  "packages",
  "replay",
  "inspect",
  "doctor",
  "mcp",
  "bridge install",
  "bridge remove",
  "bridge status",
  "bridge report",
  "fleet",
  "sessions",
];

/** The kind of a flag. `many` and `list` (for extensions) may be repeated; `optional` takes only `=VALUE`. */
export type Kind = "boolean" | "string" | "list" | "many" | "optional";

/** The words that a shell offers for a value: files, names of some kind, or the listed ones. */
export type Completes = "file" | "folder" | "event" | "hook" | "trust" | "session" | readonly string[];

/** A flag of the command line. */
export interface Flag {
  readonly kind: Kind;
  readonly short?: string;
  /** The placeholder for the value in `--help`. */
  readonly value?: string;
  /** The words that a shell offers for the value. Default: derived from `value`. */
  readonly completes?: Completes;
  readonly prefix?: string;
  /** The subcommands or groups that accept the flag; `agent` is the agent itself. Default: only the agent. */
  readonly of?: readonly string[];
  /** Whether every subcommand accepts the flag, even without effect. This is part of the command line's contract. */
  readonly everywhere?: true;
  readonly help: string;
  /** The help text for commands where the flag means something else. */
  readonly helpOf?: Readonly<Record<string, string>>;
}

const REPLAY_FLAGS = {
  list: {
    kind: "boolean",
    of: ["replay", "undo"],
    help: "show which sources would be read, without reading them",
    helpOf: { undo: "list the checkpoints, newest first" },
  },
  agents: {
    kind: "string",
    value: "LIST",
    completes: ["claude", "codex", "pi", "omp"],
    of: ["replay", "guards try"],
    help: "also this folder's sessions of other agents: claude,codex,pi,omp",
  },
  fleet: {
    kind: "boolean",
    of: ["replay", "inspect"],
    help: "read what all machines of the fleet have decided, with an auditor's creds",
  },
  since: {
    kind: "string",
    value: "30d|DATE",
    of: ["replay", "guards try", "hooks stats", "fleet audit"],
    help: "only what happened since then",
    helpOf: {
      replay: "only what happened since then; default 30d",
      "guards try": "only what happened since then; default 30d",
    },
  },
  event: {
    kind: "string",
    value: "LIST",
    completes: "event",
    of: ["replay", "fleet audit"],
    help: "only these events; a replay starts programs for them",
  },
  with: { kind: "many", value: "PATH", of: ["replay"], help: "also ask this module; may be repeated" },
  without: {
    kind: "many",
    value: "ID",
    completes: "hook",
    of: ["replay"],
    help: "skip this hook, by its id or path; may be repeated",
  },
  only: { kind: "many", value: "ID", completes: "hook", of: ["replay"], help: "ask only this hook; may be repeated" },
  observers: {
    kind: "many",
    value: "ID",
    completes: "hook",
    of: ["replay"],
    help: "start this hook also for events that it only observes",
  },
  baseline: {
    kind: "string",
    value: "recorded|current|none",
    of: ["replay"],
    help: "compare with what was recorded, with today's hooks without the change, or with no hooks",
  },
  jobs: { kind: "string", value: "N", of: ["replay"], help: "read N sources at the same time" },
  scratch: { kind: "boolean", of: ["replay"], help: "run the hooks in an empty folder" },
  "llm-cache": { kind: "string", value: "FILE", of: ["replay"], help: "a file of model answers, read and extended" },
  "live-models": { kind: "boolean", of: ["replay"], help: "ask real models; shows the possible cost first" },
  slower: { kind: "string", value: "FACTOR", of: ["replay"], help: "count moments that take FACTOR times as long" },
  "allow-empty": { kind: "boolean", of: ["replay"], help: "do not fail if nothing was judged" },
  "fail-on": {
    kind: "string",
    value: "LIST",
    completes: ["newly-denied", "newly-allowed", "newly-asked", "rewritten", "failing", "slower", "not-judged"],
    of: ["replay"],
    help: "exit with 1 if there is any of: newly-denied, newly-allowed, newly-asked, rewritten, failing, slower, not-judged",
  },
  redacted: {
    kind: "boolean",
    of: ["replay"],
    help: "refuse sources that are no recordings of level decisions, or that show a secret",
  },
  markdown: { kind: "string", value: "FILE", of: ["replay"], help: "append a summary of the result, for a CI page" },
  out: { kind: "string", value: "FILE", of: ["replay"], help: "write every judged moment as one line of JSON" },
  show: { kind: "string", value: "MOMENT", of: ["replay"], help: "show one moment in full, such as s1:42 or s1:42.2" },
} as const;

const INSPECT_FLAGS = {
  port: {
    kind: "string",
    value: "N",
    of: ["inspect", "fleet dev"],
    help: "serve on this port; 0, the default, is a free one",
    helpOf: { "fleet dev": "serve on this port; default 4222" },
  },
  "no-open": { kind: "boolean", of: ["inspect"], help: "print the address, and open no browser" },
  export: { kind: "string", value: "FILE", of: ["inspect"], help: "write one page that needs no server" },
  from: { kind: "string", value: "N", of: ["inspect"], help: "export from this moment on" },
} as const;

const TABLE = {
  print: { kind: "boolean", short: "p", help: "run the prompts, print the final reply, and exit" },
  mode: {
    kind: "string",
    value: "text|json|rpc",
    help: "json: the session header, then one event per line; rpc: commands on stdin",
  },
  model: {
    kind: "string",
    value: "PROVIDER/ID",
    of: ["agent", "hooks explain", "hooks fire", "hooks test", "replay"],
    everywhere: true,
    help: "the model to use",
  },
  "base-url": {
    kind: "string",
    value: "URL",
    of: ["agent", "replay", "doctor"],
    everywhere: true,
    help: "your own endpoint; loopback needs no key",
    helpOf: { doctor: "check this endpoint too" },
  },
  api: {
    kind: "string",
    value: "API",
    of: ["agent", "replay"],
    everywhere: true,
    help: "its protocol, such as openai-completions or anthropic-messages",
  },
  script: {
    kind: "string",
    value: "FILE",
    of: ["agent", "replay"],
    everywhere: true,
    help: "a scripted model: replies from a YAML or JSON file",
  },
  extension: {
    kind: "list",
    short: "e",
    value: "PATH",
    of: FINDING,
    everywhere: true,
    help: "load an extension or hook module; may be repeated",
  },
  hook: {
    kind: "list",
    prefix: "hook:",
    value: "PATH",
    of: FINDING,
    everywhere: true,
    help: "the same as --extension",
  },
  "mcp-config": {
    kind: "many",
    value: "FILE",
    of: FINDING,
    everywhere: true,
    help: "use the MCP servers of this file; may be repeated",
  },
  dialects: {
    kind: "string",
    value: "LIST",
    completes: IDS,
    of: FINDING,
    everywhere: true,
    help: `load only these of ${IDS.join(",")}`,
  },
  "no-hooks": { kind: "boolean", of: LOADING, everywhere: true, help: "load no hooks at all" },
  "trust-project": {
    kind: "boolean",
    of: [...LOADING, "packages fetch"],
    everywhere: true,
    help: "run this project's hooks for this run without asking",
  },
  frozen: {
    kind: "boolean",
    of: [...LOADING, "packages fetch"],
    everywhere: true,
    help: "run exactly the project hooks that hookline.lock lists",
  },
  "allow-broken-hooks": { kind: "boolean", everywhere: true, help: "continue even if hooks cannot be loaded" },
  continue: { kind: "boolean", short: "c", help: "resume the latest session of this folder" },
  resume: {
    kind: "string",
    short: "r",
    value: "ID",
    completes: "session",
    help: "resume the session whose id starts with this",
  },
  session: {
    kind: "string",
    value: "PATH",
    of: ["agent", "fleet audit"],
    help: "use this session file",
    helpOf: { "fleet audit": "only this session, by the start of its id" },
  },
  "session-dir": { kind: "string", value: "DIR", of: ["agent", "sessions"], help: "keep sessions in this folder" },
  "no-stdin": { kind: "boolean", help: "do not read stdin; take the prompt from the command line only" },
  "no-session": { kind: "boolean", help: "keep the session in memory only" },
  context: {
    kind: "string",
    value: "NAME",
    of: ["agent", "hooks explain", "hooks fire", "hooks test"],
    everywhere: true,
    help: "work in this named context, now and next time",
  },
  "transient-context": { kind: "string", value: "NAME", help: "work in this named context, this time only" },
  tools: { kind: "string", value: "LIST", completes: Object.keys(BUILTIN), help: "offer only these tools" },
  cwd: {
    kind: "string",
    value: "DIR",
    of: [...PRINTING, "schema", "undo"],
    everywhere: true,
    help: "work in this folder",
  },
  trace: { kind: "string", value: "FILE", of: ["agent", "bridge call"], help: "write every dispatch as one JSON line" },
  "trace-payloads": {
    kind: "boolean",
    of: ["agent", "bridge call"],
    help: "put values into the trace instead of sizes and digests",
  },
  record: {
    kind: "optional",
    value: "decisions|all",
    help: "record the session for `hookline replay`; all: every event, even for each token",
  },
  "record-dir": { kind: "string", value: "DIR", help: "record the session in this folder" },
  "system-prompt": { kind: "string", value: "TEXT", help: "replace the opening of the system prompt" },
  "append-system-prompt": {
    kind: "string",
    value: "TEXT|FILE",
    help: "add to the system prompt",
  },
  thinking: {
    kind: "string",
    value: "LEVEL",
    completes: THINKING_LEVELS,
    help: "how much the model thinks: off, minimal, low, medium, high, xhigh, max",
  },
  json: {
    kind: "boolean",
    of: PRINTING,
    everywhere: true,
    help: "print one JSON object",
    helpOf: { agent: "print one event per line as JSON, as --mode json does" },
  },
  shadow: {
    kind: "boolean",
    of: ["guards add"],
    help: "add them in shadow: asked about each call, deciding nothing",
  },
  strict: {
    kind: "boolean",
    of: ["hooks list"],
    help: "exit with 1 if anything that was found does not fully run",
  },
  tool: { kind: "string", value: "NAME", of: ["hooks explain", "hooks fire"], help: "the tool of the sample" },
  payload: { kind: "string", value: "FILE|-", of: ["hooks explain", "hooks fire"], help: "the event as JSON" },
  "dry-run": {
    kind: "boolean",
    of: ["hooks fire", "bridge install", "bridge remove", "fleet publish"],
    help: "show what would be done, and do nothing",
  },
  scope: {
    kind: "string",
    value: "user|project",
    of: ["bridge install", "bridge remove"],
    help: "for you everywhere (default), or in this project's own file",
  },
  "guards-only": {
    kind: "boolean",
    of: ["bridge install"],
    help: "install only the events at which hooks decide",
  },
  grant: {
    kind: "boolean",
    of: ["bridge install"],
    help: "also give the other agent's own trust to what is installed, after showing it in full",
  },
  times: { kind: "string", value: "N", of: ["hooks fire"], help: "fire N times and report timings" },
  expect: {
    kind: "string",
    value: "allow|deny|ask|edit|none",
    of: ["hooks fire"],
    help: "exit with 1 if the outcome differs, or a hook fails",
  },
  watch: { kind: "boolean", of: ["hooks test"], help: "run the cases of a file or hook again when it is saved" },
  coverage: { kind: "boolean", of: ["hooks test"], help: "show which hooks, events and outcomes no case reaches" },
  reporter: { kind: "string", value: "text|tap|junit", of: ["hooks test"], help: "how the results are printed" },
  bind: {
    kind: "many",
    value: "PATH",
    completes: "file",
    of: ["trust approve"],
    help: "cover this file or folder too: after any change of it you are asked again; may be repeated",
  },
  package: {
    kind: "string",
    value: "NAME",
    of: ["hooks init"],
    help: "write a package to publish, with this name, into a folder of its own",
  },
  write: { kind: "boolean", of: ["hooks import"], help: "write what can be translated" },
  to: {
    kind: "string",
    value: "FILE|N",
    completes: "file",
    of: ["hooks import", "inspect"],
    help: "write the project's hooks to this settings file",
    helpOf: { inspect: "export up to this moment" },
  },
  adapted: {
    kind: "boolean",
    of: ["hooks import"],
    help: "also guards whose programs you have changed to Claude Code's events and answers",
  },
  project: {
    kind: "boolean",
    of: ["hooks shadow", "hooks enforce", "hooks stats", "packages add", "packages remove"],
    help: "use this project's settings instead of yours",
    helpOf: { "hooks stats": "count only sessions in this folder" },
  },
  until: { kind: "string", value: "DATE", of: ["hooks stats"], help: "only up to this day, such as 2026-03-31" },
  host: {
    kind: "string",
    value: "HOST",
    of: ["hooks stats"],
    help: "count only sessions of this agent behind the bridge, such as codex; hookline for its own",
  },
  reset: {
    kind: "boolean",
    of: ["hooks stats"],
    help: "clear the counters, with --project those of this folder, with --host those of this agent",
  },
  lock: { kind: "boolean", of: ["trust approve"], help: "write what is approved to hookline.lock" },
  yes: {
    kind: "boolean",
    of: ["trust approve", "packages fetch", "packages add", "bridge install", "bridge remove", "undo"],
    help: "approve what is shown without being asked; needed without a terminal",
  },
  diff: { kind: "boolean", of: ["undo"], help: "show what changed since the checkpoint, and restore nothing" },
  file: {
    kind: "many",
    value: "PATH",
    completes: "file",
    of: ["undo"],
    help: "bring back only this file or folder; may be repeated",
  },
  "delete-new": { kind: "boolean", of: ["undo"], help: "also delete files that appeared since the checkpoint" },
  origin: { kind: "string", value: "ID", of: ["bridge call"], help: "which installed entry the call comes from" },
  "one-shot": { kind: "boolean", of: ["bridge call"], help: "ask the hooks in this process, without a daemon" },
  deadline: { kind: "string", value: "MS", of: ["bridge call"], help: "answer within MS milliseconds" },
  all: {
    kind: "boolean",
    of: [
      "sessions list",
      "trust list",
      "hooks explain",
      "bridge report",
      "bridge restart",
      "bridge stop",
      "fleet status",
    ],
    help: "all folders, not only this one",
    helpOf: {
      "hooks explain": "also list the hooks of other events",
      "bridge report": "each hook, with all that it could use and that is lost",
      "fleet status": "all machines, not only this one",
    },
  },
  ...REPLAY_FLAGS,
  ...INSPECT_FLAGS,
  ...FLEET_FLAGS,
  verbose: {
    kind: "boolean",
    of: ["agent", "hooks list", "fleet serve"],
    everywhere: true,
    help: "report on stderr what each hook does",
    helpOf: { "hooks list": "also show each hook's order, limit, failure policy and hash" },
  },
  version: { kind: "boolean", everywhere: true, help: "print the version" },
  help: {
    kind: "boolean",
    short: "h",
    of: ["agent", ...PRINTING, "bridge", "schema", "completion", "undo"],
    everywhere: true,
    help: "print this",
  },
} as const satisfies Readonly<Record<string, Flag>>;

/** The name of a flag, without its hyphens. */
export type FlagName = keyof typeof TABLE;

/** All flags, in the order of `--help`. */
export const FLAGS: Readonly<Record<string, Flag>> = TABLE;
