import type { CommandReader } from "@hookline/runtime/command";
import { type CommandWord, formsOf, knownOf, type ReadCommand } from "@hookline/runtime/command";
import { subcommandAt, writesFiles } from "@hookline/runtime/engine";
import { Wildcard } from "./wildcard.ts";

/** The place where a rule is used: a handler's `if`, or one of the lists of `permissions`. */
export type RuleUse = "if" | "allow" | "ask" | "deny";

/** The reason why it is uncertain whether a rule matches a command. */
export interface Doubt {
  /**
   * `hidden`: the command line hides, as `$X` does, which program it runs or a word that the rule names. `unknown`: an
   * unknown program may run its words as a command. `passed`: the rule begins with `*`, and the hidden word is not the
   * subcommand, so no call is refused. `hidden` outranks `unknown`, which outranks `passed`.
   */
  readonly kind: "hidden" | "unknown" | "passed";
  /** A clause whose subject is the command, such as "computes the name of a program". */
  readonly reason: string;
  /** The word, as written, whose value cannot be known. */
  readonly word?: string;
}

/** Whether a rule matches a call. `possible` counts as a match. A `Doubt` says why the answer is uncertain. */
export type Holding = false | "certain" | "possible" | Doubt;

/** The pattern of a rule about shell commands. */
export interface CommandPattern {
  /** Whether the pattern names more than a program, as `git push *` does. */
  readonly isDetailed: boolean;
  /** Whether the pattern begins with `*`, and so can match any program. */
  readonly isOpen: boolean;
  readonly wildcards: readonly Wildcard[];
}

/** The limit on comparison steps. A rule that needs more is treated as one that may match. */
const MOST_STEPS = 50_000_000;

const TOO_LONG: Doubt = { kind: "hidden", reason: "is too long to be compared with the rule" };
const RANKS: readonly Doubt["kind"][] = ["passed", "unknown", "hidden"];

/**
 * Reads a pattern. `:*` at its end means ` *`, and a pattern that ends with ` *` also matches without further words.
 */
export function commandPattern(text: string): CommandPattern {
  const pattern = text.replace(/:\*$/, " *");
  const start = pattern.replace(/ \*+$/, "");
  const wildcards = [new Wildcard(pattern), ...(start === pattern ? [] : [new Wildcard(start)])];
  return { isDetailed: start.trim().includes(" "), isOpen: pattern.startsWith("*"), wildcards };
}

/** Whether a rule with this pattern matches a command. */
export function holdsFor(pattern: CommandPattern, command: string, use: RuleUse, reader: CommandReader): Holding {
  const reading = reader.read(command);
  if (use === "allow") return allows([pattern], command, reader) && "certain";
  const all = reading.commands.map((one) => ({ one, forms: formsOf(one) }));
  if (
    takesTooLong(
      all.flatMap(({ forms }) => forms),
      pattern.wildcards,
    )
  )
    return TOO_LONG;
  let doubt: Doubt | undefined;
  for (const { one, forms } of all) {
    const held = holding(pattern, one, forms);
    if (held === "certain") return held;
    if (held !== undefined && RANKS.indexOf(held.kind) > RANKS.indexOf(doubt?.kind ?? "passed")) doubt = held;
    doubt ??= held;
  }
  if (use !== "if") return doubt ?? false;
  // If the `if` names a subcommand, Claude Code starts the hook for any command line with `$NAME` or `$(…)`.
  if (pattern.isDetailed && reading.isComputed) return "possible";
  return doubt !== undefined && doubt.kind !== "unknown" && "possible";
}

function holding(
  { wildcards, isOpen }: CommandPattern,
  { certainty, reason = "", word }: ReadCommand,
  forms: readonly (readonly CommandWord[])[],
): "certain" | Doubt | undefined {
  const surely = forms.some((words) => wildcards.some((one) => one.surelyMatches(words)));
  if (surely && certainty === "certain") return "certain";
  const found = surely ? forms[0] : forms.find((words) => wildcards.some((one) => one.mayMatch(words)));
  if (found === undefined) return undefined;
  if (certainty !== "certain") return { kind: certainty, reason, ...(word !== undefined && { word }) };
  const at = found.findIndex((one) => knownOf(one) === undefined);
  const computed = { reason: "computes a word that the rule names", word: found[at]?.text ?? "" };
  return { kind: isOpen && at !== subcommandAt(found) ? "passed" : "hidden", ...computed };
}

/**
 * Whether every command in a text matches one of the patterns. False if anything in the text is hidden or unknown,
 * writes a file or assigns a variable. A program that does nothing but start another, such as `timeout`, need not
 * match; the started one must.
 */
export function allows(patterns: readonly CommandPattern[], command: string, reader: CommandReader): boolean {
  const reading = reader.read(command);
  const { commands, assigned } = reading;
  if (commands.some(({ certainty, hasAssignments }) => certainty !== "certain" || hasAssignments)) return false;
  if (commands.length === 0 || assigned.length > 0 || writesFiles(reading)) return false;
  const all = commands.flatMap(({ words, isRunner }) => (isRunner ? [] : [words]));
  const wildcards = patterns.flatMap((one) => one.wildcards);
  if (takesTooLong(all, wildcards)) return false;
  return all.every((words) => wildcards.some((wildcard) => wildcard.mustMatch(words)));
}

/** Whether checking the commands takes more steps than allowed. */
function takesTooLong(all: readonly (readonly CommandWord[])[], wildcards: readonly Wildcard[]): boolean {
  let steps = 0;
  return all.some((words) => {
    steps += wildcards.reduce((sum, one) => sum + one.cost(words), 0);
    return steps > MOST_STEPS;
  });
}
