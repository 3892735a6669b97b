import type { ShellText, ShellWord } from "../../command/commands.ts";
import type { ShellReader } from "../../command/reader.ts";
import { throughWrappers, type Wrappers } from "../../command/wrapped.ts";
import { Wildcard } from "./wildcard.ts";

/** A rule's purpose: a handler's `if`, or one of the lists of `permissions`. */
export type RuleUse = "if" | "allow" | "ask" | "deny";

/** Whether a rule matches a call: `possible` if that is unknown and counts as a match. */
export type Holding = false | "certain" | "possible";

/** The pattern of a rule about shell commands. */
export interface CommandPattern {
  /** Whether the pattern has more than a program name. */
  readonly isDetailed: boolean;
  readonly wildcards: readonly Wildcard[];
}

/** After this many steps it counts as unknown whether a rule matches. */
const MOST_STEPS = 50_000_000;

/** The programs that rules look through, with their options that take a word. Source: code.claude.com/docs/en/permissions, "Wrappers". */
const STRIPPED: Wrappers = new Map([
  ["timeout", /^(?:-[ks]|--kill-after|--signal)$/],
  ["nice", /^(?:-n|--adjustment)$/],
  ["stdbuf", /^(?:-[ioe]|--input|--output|--error)$/],
  ...["time", "nohup", "command", "builtin", "noglob", "xargs"].map((name) => [name, /^$/] as const),
]);

/** Reads a pattern; `:*` at its end means a blank and `*`. A blank and `*` at its end also match nothing further. */
export function commandPattern(text: string): CommandPattern {
  const pattern = text.replace(/:\*$/, " *");
  const start = pattern.replace(/ \*+$/, "");
  const wildcards = [new Wildcard(pattern), ...(start === pattern ? [] : [new Wildcard(start)])];
  return { isDetailed: start.trim().includes(" "), wildcards };
}

/** Whether a rule with this pattern matches a command. */
export function holdsFor(
  { wildcards, isDetailed }: CommandPattern,
  command: string,
  use: RuleUse,
  shell: ShellReader,
): Holding {
  if (use === "allow") return allows([{ wildcards, isDetailed }], command, shell) && "certain";
  const read = use === "if" ? shell.commands(command) : shell.started(command);
  // If it is unknown, a filter lets the hook run, and a rule that refuses refuses.
  if (read === undefined) return "possible";
  const all = (use === "if" ? read.commands.flatMap((one) => throughWrappers(one, STRIPPED)) : read.commands).map(
    ({ words }) => words,
  );
  if (takesTooLong(all, wildcards)) return "possible";
  if (all.some((words) => wildcards.some((one) => one.surelyMatches(words)))) return "certain";
  if (use === "if" && isDetailed && read.isComputed) return "possible";
  return all.some((words) => wildcards.some((one) => one.mayMatch(words))) && "possible";
}

/** Whether every command in a text matches one of the patterns, whatever is computed in it. */
export function allows(patterns: readonly CommandPattern[], command: string, shell: ShellReader): boolean {
  const read = shell.commands(command);
  if (read === undefined || read.commands.length === 0 || writesFiles(read)) return false;
  const all = read.commands.map((one) => throughWrappers(one, STRIPPED).at(-1)?.words ?? one.words);
  const wildcards = patterns.flatMap((one) => one.wildcards);
  if (takesTooLong(all, wildcards) || read.commands.some(({ hasAssignments }) => hasAssignments)) return false;
  return all.every((words) => wildcards.some((wildcard) => wildcard.mustMatch(words)));
}

/** Whether checking the commands takes more steps than allowed. */
function takesTooLong(all: readonly (readonly ShellWord[])[], wildcards: readonly Wildcard[]): boolean {
  let steps = 0;
  return all.some((words) => {
    steps += wildcards.reduce((sum, one) => sum + one.cost(words), 0);
    return steps > MOST_STEPS;
  });
}

function writesFiles({ redirected }: ShellText): boolean {
  return redirected.some(
    ({ values, isWritten }) => isWritten && !(values?.length === 1 && values[0]?.text === "/dev/null"),
  );
}
