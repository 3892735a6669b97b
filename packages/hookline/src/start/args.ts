import { parseArgs } from "node:util";
import { abouts, nearest } from "@hookline/runtime/internal";

/** The dialects' ids. */
const IDS = Object.keys(abouts);

type Kind = "boolean" | "string" | "list";

/** The agent's own flags: `short` form, kind, and what `--help` says. */
const FLAGS: Readonly<
  Record<
    string,
    {
      readonly kind: Kind;
      readonly short?: string;
      readonly value?: string;
      readonly prefix?: string;
      /** The subcommands that take it, and `agent`; absent for the agent alone, `all` for what means the same everywhere. */
      readonly of?: "all" | readonly string[];
      readonly help: string;
    }
  >
> = {
  print: { kind: "boolean", short: "p", help: "run the prompts, print the final reply, and end" },
  mode: {
    kind: "string",
    value: "text|json|rpc",
    help: "json: the session header, then one event per line; rpc: commands on stdin",
  },
  model: { kind: "string", value: "PROVIDER/ID", of: "all", help: "the model to use" },
  "base-url": { kind: "string", value: "URL", of: "all", help: "an endpoint of your own; loopback needs no key" },
  api: {
    kind: "string",
    value: "API",
    of: "all",
    help: "its protocol, such as openai-completions or anthropic-messages",
  },
  script: { kind: "string", value: "FILE", of: "all", help: "a scripted model: replies from a YAML or JSON file" },
  extension: {
    kind: "list",
    short: "e",
    value: "PATH",
    of: "all",
    help: "load an extension or hook module; may be repeated",
  },
  hook: { kind: "list", prefix: "hook:", value: "PATH", of: "all", help: "the same as --extension" },
  dialects: { kind: "string", value: "LIST", of: "all", help: `load only these of ${IDS.join(",")}` },
  "no-hooks": { kind: "boolean", of: "all", help: "load no hooks at all" },
  "trust-project": { kind: "boolean", of: "all", help: "run this project's hooks for this run without asking" },
  frozen: { kind: "boolean", of: "all", help: "run exactly those of this project's hooks that hookline.lock lists" },
  "allow-broken-hooks": { kind: "boolean", of: "all", help: "go on although hooks cannot be loaded" },
  continue: { kind: "boolean", short: "c", help: "go on with the latest session of this folder" },
  resume: { kind: "string", short: "r", value: "ID", help: "go on with the session whose id begins so" },
  session: { kind: "string", value: "PATH", help: "use this session file" },
  "session-dir": { kind: "string", value: "DIR", of: ["agent", "sessions"], help: "keep sessions in this folder" },
  "no-stdin": { kind: "boolean", help: "do not read stdin; a prompt comes from the command line alone" },
  "no-session": { kind: "boolean", help: "keep the session in memory only" },
  context: { kind: "string", value: "NAME", of: "all", help: "work in this named context, and go on in it next time" },
  "transient-context": { kind: "string", value: "NAME", help: "work in this named context, this time only" },
  tools: { kind: "string", value: "LIST", help: "offer only these tools" },
  cwd: { kind: "string", value: "DIR", of: "all", help: "work in this folder" },
  trace: { kind: "string", value: "FILE", help: "write every dispatch as one JSON line" },
  "trace-payloads": { kind: "boolean", help: "put values into the trace, which are otherwise sizes and digests" },
  "system-prompt": { kind: "string", value: "TEXT", help: "replace the opening of the system prompt" },
  "append-system-prompt": {
    kind: "string",
    value: "TEXT|FILE",
    help: "add to the system prompt",
  },
  thinking: {
    kind: "string",
    value: "LEVEL",
    help: "how much the model thinks: off, minimal, low, medium, high, xhigh, max",
  },
  json: { kind: "boolean", of: "all", help: "print one JSON object (subcommands)" },
  strict: {
    kind: "boolean",
    of: ["hooks list"],
    help: "end with 1 if anything that was found does not run whole (hooks list)",
  },
  tool: { kind: "string", value: "NAME", of: ["hooks explain", "hooks fire"], help: "the tool of the sample" },
  payload: { kind: "string", value: "FILE|-", of: ["hooks explain", "hooks fire"], help: "the event as JSON" },
  "dry-run": { kind: "boolean", of: ["hooks fire"], help: "show who would run, and run nobody" },
  times: { kind: "string", value: "N", of: ["hooks fire"], help: "fire so often, and tell the times" },
  bind: {
    kind: "string",
    value: "FOLDER",
    of: ["trust approve"],
    help: "approve as long as nothing in this folder changes, whatever the hooks compute",
  },
  write: { kind: "boolean", of: ["hooks import"], help: "write what can be translated" },
  to: { kind: "string", value: "FILE", of: ["hooks import"], help: "write the project's hooks to this settings file" },
  adapted: {
    kind: "boolean",
    of: ["hooks import"],
    help: "also guards whose programs you have changed to Claude Code's events and answers",
  },
  lock: { kind: "boolean", of: ["trust approve"], help: "write what is approved to hookline.lock" },
  yes: {
    kind: "boolean",
    of: ["trust approve", "packages fetch"],
    help: "approve what is shown without being asked; needed where there is no terminal",
  },
  all: { kind: "boolean", of: ["sessions list", "trust list"], help: "of every folder, not of this one" },
  verbose: { kind: "boolean", of: "all", help: "tell on stderr what each hook does" },
  version: { kind: "boolean", of: "all", help: "print the version" },
  help: { kind: "boolean", of: "all", help: "print this" },
};

/** Those of a run of the agent. */
const AGENT_FLAGS: typeof FLAGS = Object.fromEntries(
  Object.entries(FLAGS).filter(([, { of }]) => of === undefined || of === "all" || of.includes("agent")),
);

/** The command line, read. */
export interface Arguments {
  readonly flags: Readonly<Record<string, boolean | string | undefined>>;
  readonly extensions: readonly string[];
  readonly words: readonly string[];
  /** Flags that are not the agent's own; extensions may have registered them. */
  readonly foreign: ReadonlyMap<string, boolean | string>;
  readonly problems: readonly string[];
  /** The same command line, read with the flags that extensions have registered: then it is known which take a value. */
  again(registered: ReadonlyMap<string, "boolean" | "string">): Arguments;
}

/**
 * Reads the command line. `registered` are the flags of loaded extensions with their kinds; without it unknown flags
 * are collected and nothing is said about them yet. Flags that only subcommands have are an extension's to register,
 * so for the `agent` they are not known.
 */
export function readArguments(
  argv: readonly string[],
  registered?: ReadonlyMap<string, "boolean" | "string">,
  of: "agent" | "subcommands" = "agent",
): Arguments {
  const known = of === "agent" ? AGENT_FLAGS : FLAGS;
  const options: Record<string, { type: "boolean" | "string"; short?: string }> = {};
  for (const [name, { kind, short }] of Object.entries(known)) {
    options[name] = { type: kind === "boolean" ? "boolean" : "string", ...(short !== undefined && { short }) };
  }
  for (const [name, type] of registered ?? []) options[name] ??= { type };
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true });
  const flags: Record<string, boolean | string> = {};
  const foreign = new Map<string, boolean | string>();
  const extensions: string[] = [];
  const words: string[] = [];
  const problems: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    const own = known[token.name];
    const type = own === undefined ? registered?.get(token.name) : own.kind === "boolean" ? "boolean" : "string";
    if (type === "string" && token.value === undefined) problems.push(`${token.rawName} needs a value`);
    else if (type === "boolean" && token.value !== undefined) problems.push(`${token.rawName} takes no value`);
    else if (own === undefined) {
      if (registered !== undefined && type === undefined) {
        problems.push(unknownFlag(token.name, [...Object.keys(known), ...registered.keys()]));
      }
      foreign.set(token.name, token.value ?? true);
    } else if (own.kind === "list") extensions.push(`${own.prefix ?? ""}${token.value as string}`);
    else flags[token.name] = own.kind === "boolean" ? true : (token.value as string);
  }
  const again = (more: ReadonlyMap<string, "boolean" | "string">): Arguments => readArguments(argv, more, of);
  return { flags, extensions, words, foreign, problems, again };
}

/** A flag that takes text. */
export function textFlag(args: Arguments, name: string): string | undefined {
  const value = args.flags[name];
  return typeof value === "string" ? value : undefined;
}

function unknownFlag(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return `Unknown option: --${name}. ${near === undefined ? "`--help` lists the options." : `Did you mean --${near}?`}`;
}

/** What is wrong with a subcommand's flags: those that nobody knows, and those that are not its own. */
export function misplacedFlags(args: Arguments, command: string): string[] {
  const own = Object.entries(FLAGS).filter(([, { of }]) => takes(of, command));
  const names = own.map(([name]) => name);
  const unknown = [...args.foreign.keys()].map((name) => unknownFlag(name, names));
  const foreign = Object.keys(args.flags)
    .filter((name) => !names.includes(name))
    .map((name) => `--${name} has no meaning for \`hookline ${command}\`; leave it out`);
  return [...unknown, ...foreign];
}

function takes(of: "all" | readonly string[] | undefined, command: string): boolean {
  return (
    of === "all" || (of?.some((one) => `${one} `.startsWith(`${command} `) || one === command.split(" ")[0]) ?? false)
  );
}

/** What `--help` prints: of the agent, or of one subcommand. */
export function helpText(command?: {
  readonly name: string;
  readonly usage: readonly string[];
  readonly says: string;
}): string {
  const lines = Object.entries(FLAGS)
    .filter(([name, { of }]) => (command === undefined ? Object.hasOwn(AGENT_FLAGS, name) : takes(of, command.name)))
    .map(([name, { short, value, help }]) => {
      const left = `${short === undefined ? "    " : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`;
      return `  ${left.padEnd(30)} ${help}`;
    });
  const head =
    command === undefined
      ? ["hookline [options] [prompt…]", ...COMMANDS.map(({ usage }) => usage), "", AGENT]
      : [...command.usage, "", command.says];
  return [...head, "", ...lines, "", ENDS, ""].join("\n");
}

/** Names as a sentence lists them: `a, b and c`. */
function inWords(names: readonly string[]): string {
  return names.join(", ").replace(/, ([^,]*)$/, " and $1");
}

const AGENT = `A terminal agent that runs the hooks of ${inWords(Object.values(abouts).map(({ label }) => label))}.`;
const ENDS =
  "Exit codes: 0 fine, 1 failed, 2 wrong usage, 3 stopped by a hook, 129/130/141/143 hang-up, interrupted, nobody reads, terminated.";

/** The subcommands, with what `--help` says of each. */
export const COMMANDS: readonly { readonly name: string; readonly usage: string; readonly says: string }[] = [
  {
    name: "hooks list",
    usage: "hookline hooks [list] [--json] [--strict]",
    says: "What was looked for, found, loaded and left out, and why.",
  },
  {
    name: "hooks explain",
    usage: "hookline hooks explain EVENT [--tool NAME] [--model ID] [--json]",
    says: "Which hooks would run for an event, in order, and why the others would not.",
  },
  {
    name: "hooks fire",
    usage: "hookline hooks fire [DIALECT:]EVENT [--payload FILE|-] [--dry-run] [--times N] [--json]",
    says: "Dispatches one event by hand: each answer, its time, the fold, the outcome.",
  },
  {
    name: "hooks stats",
    usage: "hookline hooks stats [--json]",
    says: "Each hook's runs, failures and times, over the sessions of this machine.",
  },
  {
    name: "hooks init",
    usage: "hookline hooks init DIALECT",
    says: `Writes a commented, working example: a guard for one of ${IDS.join(", ")}.`,
  },
  {
    name: "hooks import",
    usage: "hookline hooks import [--write] [--to FILE] [--adapted] [--json]",
    says: "Which hooks of Claude Code, Codex, Gemini CLI, Cursor, Copilot and Qwen Code lie here, which run as they are, and what the others are as settings hooks.",
  },
  {
    name: "trust list",
    usage: "hookline trust [list] [PATH] [--all] [--json]",
    says: "Which of this project's hooks were approved, have changed since, or are pending.",
  },
  {
    name: "trust approve",
    usage: "hookline trust approve [PATH] [--lock] [--bind FOLDER] [--yes]",
    says: "Shows exactly what would run, and what changed, and approves it.",
  },
  { name: "trust revoke", usage: "hookline trust revoke [PATH]", says: "Takes approvals back." },
  {
    name: "packages fetch",
    usage: "hookline packages fetch [SOURCE…] [--yes] [--json]",
    says: "Fetches packages of extensions (npm:NAME@VERSION, git:HOST/PATH@REF), or all that pi's settings name; a project's only with your yes.",
  },
  {
    name: "doctor",
    usage: "hookline doctor [--json]",
    says: "Looks for what is broken: environment, providers, hooks, permissions.",
  },
  {
    name: "schema",
    usage: "hookline schema [EVENT|trace]",
    says: "The JSON Schema of an event and of the answers to it, or of a line of --trace.",
  },
  { name: "sessions list", usage: "hookline sessions [list] [--all] [--json]", says: "The sessions of this folder." },
  { name: "sessions show", usage: "hookline sessions show ID [--json]", says: "A session's conversation." },
  {
    name: "sessions export",
    usage: "hookline sessions export ID [FILE]",
    says: "A session as Markdown, or as its own lines where FILE ends in .jsonl.",
  },
];
