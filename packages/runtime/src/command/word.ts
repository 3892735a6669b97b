/** A possible value of a word. */
export interface Value {
  readonly text: string;
  /** Whether the shell expands the value to the files that match. */
  readonly isPattern: boolean;
  /** Set on a value that depends on the machine or its environment; a word has such values in `assumed` only. */
  readonly isAssumed?: true;
}

/** All values that a word may have; `undefined` if the word is computed. */
export type Values = readonly Value[] | undefined;

/** A part of a word: its possible values, or `undefined` if it is computed. */
export type Piece = readonly string[] | undefined;

/** One word of a command. */
export interface CommandWord {
  /** The word as it is written. */
  readonly text: string;
  /**
   * The word's possible values, with folders such as `$PWD` and `$(dirname "$0")` as paths; `undefined` if it is
   * computed.
   */
  readonly values: Values;
  /**
   * The likeliest values of a computed word: the default of a variable that the environment may set, a program that
   * `which` finds, a file that `mktemp` makes. Absent if `values` is present or nothing can be assumed.
   */
  readonly assumed?: Values;
  /** Whether the shell splits the word's value at white space. */
  readonly isSplit: boolean;
  /** The word's parts in order, each with what is certainly known about it. */
  readonly pieces: readonly Piece[];
  /** Texts that a rule may match in place of the pieces, such as the word as it is written. */
  readonly spellings: readonly string[];
}

/** Returns a word whose only value is this text. */
export function wordOf(text: string): CommandWord {
  return { text, values: [{ text, isPattern: false }], isSplit: false, pieces: [[text]], spellings: [text] };
}

/** Quotes a text, so that a shell reads it as one word. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A word whose value is computed, and so not known. */
export const COMPUTED: CommandWord = {
  text: "",
  values: undefined,
  isSplit: true,
  pieces: [undefined],
  spellings: [],
};

/** Returns a word's value, if it can have only one. */
export function knownOf({ pieces }: Pick<CommandWord, "pieces">): string | undefined {
  let text = "";
  for (const piece of pieces) {
    if (piece?.length !== 1) return undefined;
    text += piece[0];
  }
  return text;
}

/**
 * Returns the last part of the path in a word; `undefined` if it is computed. `"$HOME"/bin/rm` and `/bin/rm` both end
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
