import type { CommandWord } from "@hookline/runtime/command";

const STAR = -1;
/** The fixed number of steps for comparing one text, in addition to its length. */
const STEPS_OF_A_TEXT = 8;
const LONGEST_WORD = 10_000;
/** Stands for a word whose value is unknown. No command contains this character, so only `*` matches it. */
const UNKNOWN = "\u0000";

/**
 * The state of a comparison: `at[i]` is 1 if the text so far can match the pattern's first `i` tokens. Places before
 * `first` are ignored.
 */
interface Places {
  readonly at: Uint8Array;
  readonly first: number;
}

/**
 * A pattern in which `*` matches any text, including white space and line ends. Matching takes time proportional to the
 * length of the text times that of the pattern.
 */
export class Wildcard {
  readonly #tokens: readonly number[];

  constructor(pattern: string) {
    this.#tokens = [...pattern.matchAll(/\*+|[^*]/g)].map(([part]) =>
      part.startsWith("*") ? STAR : part.charCodeAt(0),
    );
  }

  /** Whether the pattern matches the whole text. */
  matches(text: string): boolean {
    return this.#accepts(this.#read(this.#start(), text));
  }

  /** Returns the most steps that comparing these words can take. */
  cost(words: readonly CommandWord[]): number {
    const texts = words.flatMap(({ pieces, spellings }) => [...pieces.map((piece) => piece ?? []), spellings]);
    const length = texts.flat().reduce((sum, text) => sum + text.length + STEPS_OF_A_TEXT, 0);
    return length * (this.#tokens.length + 1);
  }

  /** Whether the words of a command, joined by single blanks, may match the pattern. */
  mayMatch(words: readonly CommandWord[]): boolean {
    let places = this.#start();
    for (const [at, word] of words.entries()) {
      const after = this.#word(at === 0 ? places : this.#read(places, " "), word);
      // An unquoted variable without a value leaves no word behind.
      const isGone = word.isSplit && word.pieces.every((piece) => piece?.some((text) => text.trim() === "") ?? true);
      places = isGone ? this.#union([after, places]) : after;
      if (!places.at.includes(1, places.first)) return false;
    }
    return this.#accepts(places);
  }

  /** Whether the words certainly match in at least one form: as written, or as the shell expands them. */
  surelyMatches(words: readonly CommandWord[]): boolean {
    return this.matches(written(words)) || this.matches(known(words));
  }

  /** Whether the words match in both forms: as written, and as the shell expands them. */
  mustMatch(words: readonly CommandWord[]): boolean {
    return this.matches(written(words)) && this.matches(known(words));
  }

  #word(before: Places, { pieces, spellings }: CommandWord): Places {
    let places = before;
    for (const piece of pieces) {
      const from = places;
      places = piece === undefined ? this.#anything(from) : this.#union(piece.map((text) => this.#read(from, text)));
    }
    return this.#union([places, ...spellings.map((text) => this.#read(before, text))]);
  }

  #start(): Places {
    return this.#reached([0]);
  }

  #read(from: Places, text: string): Places {
    const length = this.#tokens.length + 1;
    let { first } = from;
    let now = from.at.slice();
    let next = new Uint8Array(length);
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      next.fill(0);
      let star = first;
      let isDone = true;
      for (let place = first; place < length; place++) {
        if (now[place] !== 1) continue;
        const token = this.#tokens[place];
        const to = token === STAR ? place : token === code ? place + 1 : undefined;
        if (to === undefined) continue;
        isDone = false;
        next[to] = 1;
        if (this.#tokens[to] === STAR) {
          next[to + 1] = 1;
          star = to;
        }
      }
      // Once a star has been reached, the positions before it no longer matter.
      first = star;
      [now, next] = [next, now];
      if (isDone) break;
    }
    return { at: now, first };
  }

  /** Reads a text of unknown value, after which every place from the first reached one on is possible. */
  #anything({ at, first }: Places): Places {
    const from = at.indexOf(1, first);
    return this.#reached(from < 0 ? [] : Array.from({ length: at.length - from }, (_, index) => from + index));
  }

  #union(all: readonly Places[]): Places {
    return this.#reached(all.flatMap(({ at, first }) => [...at.keys()].filter((place) => place >= first && at[place])));
  }

  #reached(places: readonly number[]): Places {
    const at = new Uint8Array(this.#tokens.length + 1);
    let first = 0;
    for (const place of places) {
      at[place] = 1;
      if (this.#tokens[place] !== STAR) continue;
      at[place + 1] = 1;
      first = Math.max(first, place);
    }
    return { at, first };
  }

  #accepts({ at }: Places): boolean {
    return at[this.#tokens.length] === 1;
  }
}

function written(words: readonly CommandWord[]): string {
  return words.map(({ text }) => text).join(" ");
}

/** Returns the words as the shell expands them. `UNKNOWN` replaces a word that is unknown or very long. */
function known(words: readonly CommandWord[]): string {
  const texts = words.map(({ values }) => (values?.length === 1 ? (values[0]?.text ?? UNKNOWN) : UNKNOWN));
  return texts.map((text) => (text.length > LONGEST_WORD ? UNKNOWN : text)).join(" ");
}
