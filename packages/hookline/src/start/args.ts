import { parseArgs } from "node:util";
import { nearest } from "@hookline/ground";
import { abouts } from "@hookline/integrations/abouts";
import { COMMANDS } from "./commands.ts";
import { FLAGS, type Flag, type FlagName, type Kind } from "./flags.ts";
import { fleetOrigin, hasFleetPackage } from "./fleet-package.ts";

/** The flags that a run of the agent accepts. */
export const AGENT_FLAGS: typeof FLAGS = Object.fromEntries(
  Object.entries(FLAGS).filter(([, { of }]) => of === undefined || of.includes("agent")),
);

/** A parsed command line. */
export interface Arguments {
  readonly flags: Readonly<Partial<Record<FlagName, boolean | string | undefined>>>;
  readonly extensions: readonly string[];
  /** Values of flags that may be repeated. */
  readonly lists: Readonly<Partial<Record<FlagName, readonly string[]>>>;
  readonly words: readonly string[];
  /** Flags that the agent does not know. Extensions may have registered them. */
  readonly foreign: ReadonlyMap<string, boolean | string>;
  readonly problems: readonly string[];
  /** Parses the command line again. The flags of extensions determine whether a flag has the next word as its value. */
  again(registered: ReadonlyMap<string, "boolean" | "string">): Arguments;
}

/**
 * Parses the command line. `registered` are the flags of loaded extensions with their kinds. Without `registered`,
 * unknown flags are collected and not reported. For the `agent`, flags of subcommands count as unknown, because an
 * extension may register one of the same name.
 */
export function readArguments(
  argv: readonly string[],
  registered?: ReadonlyMap<string, "boolean" | "string">,
  of: "agent" | "subcommands" = "agent",
): Arguments {
  const known = of === "agent" ? AGENT_FLAGS : FLAGS;
  const options: Record<string, { type: "boolean" | "string"; short?: string }> = {};
  for (const [name, { kind, short }] of Object.entries(known)) {
    const isAlone = kind === "boolean" || kind === "optional";
    options[name] = { type: isAlone ? "boolean" : "string", ...(short !== undefined && { short }) };
  }
  for (const [name, type] of registered ?? []) options[name] ??= { type };
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true });
  const flags: Record<string, boolean | string> = {};
  const foreign = new Map<string, boolean | string>();
  const extensions: string[] = [];
  const lists: Record<string, string[]> = {};
  const words: string[] = [];
  const problems: string[] = [];
  for (const [at, token] of tokens.entries()) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    const own = known[token.name];
    const next = tokens[at + 1];
    if (own?.kind === "optional" && token.value === undefined && next?.kind === "positional") {
      if (own.value?.split("|").includes(next.value))
        problems.push(`${token.rawName} takes its value after an equals sign: ${token.rawName}=${next.value}`);
    }
    const type = own === undefined ? registered?.get(token.name) : typeOf(own.kind);
    if (type === "string" && token.value === undefined) problems.push(`${token.rawName} needs a value`);
    else if (type === "boolean" && token.value !== undefined) problems.push(`${token.rawName} takes no value`);
    else if (own === undefined) {
      if (registered !== undefined && type === undefined) {
        problems.push(unknownFlag(token.name, [...Object.keys(known), ...registered.keys()]));
      }
      foreign.set(token.name, token.value ?? true);
    } else if (own.kind === "list") extensions.push(`${own.prefix ?? ""}${token.value as string}`);
    else if (own.kind === "many") (lists[token.name] ??= []).push(token.value as string);
    else flags[token.name] = token.value ?? true;
  }
  const again = (more: ReadonlyMap<string, "boolean" | "string">): Arguments => readArguments(argv, more, of);
  return { flags, extensions, lists, words, foreign, problems, again };
}

/** Returns the type of a flag's value; undefined if its value is optional. */
function typeOf(kind: Kind): "boolean" | "string" | undefined {
  if (kind === "optional") return undefined;
  return kind === "boolean" ? "boolean" : "string";
}

/** Returns the value of a flag that takes text. */
export function textFlag(args: Arguments, name: FlagName): string | undefined {
  const value = args.flags[name];
  return typeof value === "string" ? value : undefined;
}

function unknownFlag(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return `Unknown option: --${name}. ${near === undefined ? "`--help` lists the options." : `Did you mean --${near}?`}`;
}

/** Describes problems with a subcommand's flags: unknown flags, and flags of other subcommands. */
export function misplacedFlags(args: Arguments, command: string): string[] {
  const own = Object.entries(FLAGS).filter(([, flag]) => flag.everywhere || takes(flag, command));
  const names = own.map(([name]) => name);
  const unknown = [...args.foreign.keys()].map((name) => unknownFlag(name, names));
  const foreign = [...Object.keys(args.flags), ...Object.keys(args.lists)]
    .filter((name) => !names.includes(name))
    .map((name) => `--${name} has no effect on \`hookline ${command}\`; remove it`);
  return [...unknown, ...foreign];
}

/** Describes words that a subcommand does not take. */
export function needlessWords(words: readonly string[], command: string): string[] {
  const about = COMMANDS.find(({ name }) => name === command);
  const taken = about?.words ?? [];
  const rest = words.slice(taken.length);
  if (about === undefined || rest.length === 0 || taken.at(-1)?.many || about.takesMore?.(words)) return [];
  return [`\`hookline ${command}\` has no use for "${rest.join(" ")}". Usage: ${about.usage}`];
}

/** Whether a subcommand accepts a flag. For a group such as `hooks`: whether any of its subcommands does. */
export function takes({ of = [] }: Flag, command: string): boolean {
  return of.some((one) => `${one} `.startsWith(`${command} `) || one === command.split(" ")[0]);
}

/** The commands and the options of the agent that `--help` lists, in this order. */
const COMMON_COMMANDS = ["hooks list", "hooks explain", "hooks test", "trust approve", "replay", "doctor"];
const COMMON_FLAGS = ["print", "model", "continue", "extension", "trust-project", "version", "help"];

/** Returns the text of `--help` for the agent. */
export function helpText(): string {
  const common = COMMON_COMMANDS.flatMap((name) => COMMANDS.filter((one) => one.name === name));
  const others = new Set(COMMANDS.map(({ name }) => name.split(" ")[0] ?? ""));
  for (const { name } of common) others.delete(name.split(" ")[0] ?? "");
  if (!hasFleetPackage()) others.delete("fleet");
  return text([
    ...ABOUT,
    "",
    "Usage: hookline [options] [prompt…]    the agent: on a terminal, or with -p for one answer",
    "       hookline COMMAND [options]",
    "",
    "Commands that most people need:",
    ...common.map(({ name, says }) => `  ${name.replace(/ list$/, "").padEnd(14)} ${says}`),
    "",
    "Options that most people need:",
    ...COMMON_FLAGS.map((name) => flagLine([name, AGENT_FLAGS[name] as Flag], "agent")),
    "",
    "Examples:",
    "  hookline hooks                                         which of my hooks run here, and why not the others",
    "  hookline hooks explain claude:PreToolUse --tool Bash   which hooks would be asked about a command",
    '  hookline -p "Why does the build fail?"                 one answer from the agent, with the hooks asked',
    "",
    `Other commands: ${inWords([...others])}; and more below hooks and trust.`,
    "`hookline help COMMAND` explains one, as in `hookline help bridge`, `hookline help hooks` or `hookline help hooks fire`.",
    "`hookline help options` lists all options of the agent.",
    "",
    ENDS,
  ]);
}

/** Returns the text of `hookline help options`: all options of a run of the agent. */
export function optionsHelp(): string {
  return text([
    "Usage: hookline [options] [prompt…]",
    "",
    ...Object.entries(AGENT_FLAGS).map((flag) => flagLine(flag, "agent")),
    "",
    ENDS,
  ]);
}

/** Returns the text of `--help` for a subcommand, or for a group with all of its subcommands. */
export function commandHelp(name: string): string {
  const exact = COMMANDS.find((one) => one.name === name);
  const group = exact === undefined ? COMMANDS.filter((one) => one.name.startsWith(`${name} `)) : [];
  // The word `list` may be omitted (`hooks` means `hooks list`), so the group's help has the options of `list`.
  const own = exact ?? group.find((one) => one.name === `${name} list`);
  const flags = Object.entries(FLAGS).filter(([, flag]) => own !== undefined && takes(flag, own.name));
  const [shared, special] = [flags.filter(([, one]) => one.everywhere), flags.filter(([, one]) => !one.everywhere)];
  return text([
    ...(name.split(" ")[0] !== "fleet" || hasFleetPackage() ? [] : [`${fleetOrigin()}.`, ""]),
    ...(exact === undefined ? [] : [`Usage: ${exact.usage}`, "", exact.says, ""]),
    ...group.flatMap(({ usage, says }) => [usage, `  ${says}`]),
    ...(group.length === 0 ? [] : ["", `\`hookline help ${name} COMMAND\` has the options of one of them.`]),
    ...(own === undefined ? [] : [...(group.length === 0 ? [] : [""]), `Example: hookline ${own.example}`]),
    ...(own?.words === undefined && special.length === 0 ? [] : [""]),
    ...(own?.words ?? []).map((word) => line(word.name, word.says)),
    ...special.map((flag) => flagLine(flag, own?.name)),
    ...(shared.length === 0
      ? []
      : ["", "Options that it has in common with other commands:", ...shared.map((flag) => flagLine(flag, own?.name))]),
    "",
    ENDS,
  ]);
}

function flagLine([name, { kind, short, value, help, helpOf }]: readonly [string, Flag], command = ""): string {
  const given = kind === "optional" ? `[=${value}]` : ` ${value}`;
  const long = `--${name}${value === undefined ? "" : given}`;
  return line(short === undefined ? `    ${long}` : `-${short}, ${long}`, helpOf?.[command] ?? help);
}

function line(left: string, help: string): string {
  const indent = left.length > 30 ? `\n${" ".repeat(32)}` : "";
  return `  ${left.padEnd(30)}${indent} ${help}`;
}

function text(lines: readonly string[]): string {
  return `${lines.join("\n")}\n`;
}

/** Joins names for a sentence: `a, b and c`. */
function inWords(names: readonly string[]): string {
  return names.join(", ").replace(/, ([^,]*)$/, " and $1");
}

const ABOUT = [
  `hookline runs the hooks that you have for ${inWords(Object.values(abouts).map(({ label }) => label))},`,
  "unmodified and in one order: in its own terminal agent, inside other agents, and in yours through a library.",
];
const ENDS =
  "Exit codes: 0 fine, 1 failed, 2 wrong usage, 3 stopped by a hook, 129/130/141/143 hung up, interrupted, broken pipe, terminated.";
