import type { Command, CommandArgument, Word } from "unbash";
import type { Values, Variables } from "./values.ts";

/** One word of a command: its possible values, and its source text. */
export interface Term {
  readonly values: Values;
  readonly text: string;
  /** Whether the shell splits its value at white space. */
  readonly isSplit: boolean;
}

/** The words of a command; the first one is its program. Empty for one that only assigns or redirects. */
export function termsOf({ name, args }: Command, variables: Variables): Term[] {
  return name === undefined ? [] : [name, ...args].map((word) => termOf(word, variables));
}

function termOf(word: CommandArgument, variables: Variables): Term {
  if (word.type !== "Word") return literalTerm(word.text);
  return { values: variables.of(word), text: word.text, isSplit: isSplit(word) };
}

/** A word that stands for itself. */
export function literalTerm(text: string): Term {
  return { values: [{ text, isPattern: false }], text, isSplit: false };
}

/** Whether the shell splits the result of an expansion in a word. */
function isSplit(word: Word): boolean {
  return (word.parts ?? []).some(
    ({ type }) => type === "SimpleExpansion" || type === "ParameterExpansion" || type === "CommandExpansion",
  );
}
