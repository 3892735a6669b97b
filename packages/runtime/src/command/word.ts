/** A possible value of a word. */
export interface Value {
  readonly text: string;
  /** Whether the shell expands it to matching files. */
  readonly isPattern: boolean;
  /** Present on a value that the machine or its environment decides; only `assumed` has such values. */
  readonly isAssumed?: true;
}

/** All values that a word may have; `undefined` if it is computed. */
export type Values = readonly Value[] | undefined;

/** A part of a word: its possible values, or `undefined` if it is computed. */
export type Piece = readonly string[] | undefined;

/** One word of a command. */
export interface CommandWord {
  /** The word as it is written. */
  readonly text: string;
  /** Its possible values, with folders such as `$PWD` and `$(dirname "$0")` as paths; `undefined` if it is computed. */
  readonly values: Values;
  /**
   * The values that a computed word most likely has: the default of a variable that the environment may set, a program that
   * `which` finds, a file that `mktemp` makes. Absent if `values` is there, or nothing can be assumed.
   */
  readonly assumed?: Values;
  /** Whether the shell splits its value at white space. */
  readonly isSplit: boolean;
  /** Its parts in order, each with what is certainly known about it. */
  readonly pieces: readonly Piece[];
  /** Forms of the whole word besides the values of its pieces. */
  readonly spellings: readonly string[];
}

/** A word known only by its text. */
export function wordOf(text: string): CommandWord {
  return { text, values: [{ text, isPattern: false }], isSplit: false, pieces: [[text]], spellings: [text] };
}

/** Quotes a text, so that a shell reads it as one word. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A word that is computed. */
export const COMPUTED: CommandWord = {
  text: "",
  values: undefined,
  isSplit: true,
  pieces: [undefined],
  spellings: [],
};

/** A word's value, if there is only one. */
export function knownOf({ pieces }: Pick<CommandWord, "pieces">): string | undefined {
  let text = "";
  for (const piece of pieces) {
    if (piece?.length !== 1) return undefined;
    text += piece[0];
  }
  return text;
}

/**
 * The last part of the path that a word is; `undefined` if it is computed. `"$HOME"/bin/rm` and `/bin/rm` both end
 * with `rm`.
 */
export function baseOf(word: Pick<CommandWord, "pieces">): string | undefined {
  let tail = "";
  for (const piece of [...word.pieces].reverse()) {
    if (piece?.length !== 1) return undefined;
    tail = piece[0] + tail;
    const slash = tail.lastIndexOf("/");
    if (slash >= 0) return tail.slice(slash + 1);
  }
  return tail;
}
