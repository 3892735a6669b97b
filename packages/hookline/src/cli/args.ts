import { parseArgs } from "node:util";
import { nearest } from "@hookline/runtime";

type Kind = "boolean" | "string" | "list";

/** The agent's own flags: `short` form, kind, and what `--help` says. */
const FLAGS: Readonly<
  Record<string, { readonly kind: Kind; readonly short?: string; readonly value?: string; readonly help: string }>
> = {
  print: { kind: "boolean", short: "p", help: "run the prompts, print the final reply, and end" },
  mode: { kind: "string", value: "text|json", help: "json: the session header, then one event per line" },
  model: { kind: "string", value: "PROVIDER/ID", help: "the model to use" },
  "base-url": { kind: "string", value: "URL", help: "an endpoint of your own; loopback needs no key" },
  api: { kind: "string", value: "API", help: "its protocol, such as openai-completions or anthropic-messages" },
  script: { kind: "string", value: "FILE", help: "a scripted model: replies from a YAML or JSON file" },
  extension: { kind: "list", short: "e", value: "PATH", help: "load an extension or hook module; may be repeated" },
  hook: { kind: "list", value: "PATH", help: "the same as --extension" },
  dialects: { kind: "string", value: "LIST", help: "load only these of pi,omp,jcli,chibi" },
  "no-hooks": { kind: "boolean", help: "load no hooks at all" },
  "trust-project": { kind: "boolean", help: "run this project's hooks for this run without asking" },
  continue: { kind: "boolean", short: "c", help: "go on with the latest session of this folder" },
  resume: { kind: "string", short: "r", value: "ID", help: "go on with the session whose id begins so" },
  session: { kind: "string", value: "PATH", help: "use this session file" },
  "session-dir": { kind: "string", value: "DIR", help: "keep sessions in this folder" },
  "no-session": { kind: "boolean", help: "keep the session in memory only" },
  tools: { kind: "string", value: "LIST", help: "offer only these tools" },
  cwd: { kind: "string", value: "DIR", help: "work in this folder" },
  trace: { kind: "string", value: "FILE", help: "write every dispatch as one JSON line" },
  "trace-payloads": { kind: "boolean", help: "put values into the trace, which are otherwise sizes and digests" },
  "system-prompt": { kind: "string", value: "TEXT", help: "replace the opening of the system prompt" },
  json: { kind: "boolean", help: "print one JSON object (subcommands)" },
  strict: { kind: "boolean", help: "end with 1 if anything that was found does not run (hooks list)" },
  verbose: { kind: "boolean", help: "tell on stderr what each hook does" },
  version: { kind: "boolean", help: "print the version" },
  help: { kind: "boolean", help: "print this" },
};

/** The command line, read. */
export interface Arguments {
  readonly flags: Readonly<Record<string, boolean | string | undefined>>;
  readonly extensions: readonly string[];
  readonly words: readonly string[];
  /** Flags that are not the agent's own; extensions may have registered them. */
  readonly foreign: ReadonlyMap<string, boolean | string>;
  readonly problems: readonly string[];
}

/**
 * Reads the command line. `registered` are the flags of loaded extensions with their kinds;
 * without it unknown flags are collected and nothing is said about them yet.
 */
export function readArguments(
  argv: readonly string[],
  registered?: ReadonlyMap<string, "boolean" | "string">,
): Arguments {
  const options: Record<string, { type: "boolean" | "string"; short?: string }> = {};
  for (const [name, { kind, short }] of Object.entries(FLAGS)) {
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
    const own = FLAGS[token.name];
    const type = own === undefined ? registered?.get(token.name) : own.kind === "boolean" ? "boolean" : "string";
    if (type === "string" && token.value === undefined) problems.push(`${token.rawName} needs a value`);
    else if (type === "boolean" && token.value !== undefined) problems.push(`${token.rawName} takes no value`);
    else if (own === undefined) {
      if (registered !== undefined && type === undefined) {
        problems.push(
          `Unknown option: ${token.rawName}. Did you mean --${nearest(token.name, [...Object.keys(FLAGS), ...registered.keys()])}?`,
        );
      }
      foreign.set(token.name, token.value ?? true);
    } else if (own.kind === "list") extensions.push(token.value as string);
    else flags[token.name] = own.kind === "boolean" ? true : (token.value as string);
  }
  return { flags, extensions, words, foreign, problems };
}

/** A flag that takes text. */
export function textFlag(args: Arguments, name: string): string | undefined {
  const value = args.flags[name];
  return typeof value === "string" ? value : undefined;
}

/** What `--help` prints. */
export function helpText(): string {
  const lines = Object.entries(FLAGS).map(([name, { short, value, help }]) => {
    const left = `${short === undefined ? "    " : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`;
    return `  ${left.padEnd(30)} ${help}`;
  });
  return [
    "hookline [options] [prompt…]",
    "hookline hooks [list] [--json] [--strict]",
    "",
    "A terminal agent that runs the hooks of pi, oh-my-pi, j-cli and chibi.",
    "",
    ...lines,
    "",
    "Exit codes: 0 fine, 1 failed, 2 wrong usage, 3 stopped by a hook, 129/130/143 hang-up, interrupted, terminated.",
    "",
  ].join("\n");
}
