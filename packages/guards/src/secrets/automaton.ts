/** A word that was found, with its position in the text. */
export interface Hit {
  /** Index of the word in the list. */
  readonly word: number;
  readonly start: number;
  readonly end: number;
}

const OTHER = 0;

/**
 * Finds all words of a list in a text, ignoring case, in one pass that depends only on the text's length (Aho and
 * Corasick, 1975).
 */
export class Automaton {
  readonly #classes = new Uint8Array(128);
  readonly #next: Uint16Array;
  readonly #width: number;
  /** For each state, the words that end there. */
  readonly #ends: readonly (readonly number[])[];
  readonly #isEnd: Uint8Array;
  readonly #lengths: readonly number[];

  constructor(words: readonly string[]) {
    const lower = words.map((word) => word.toLowerCase());
    this.#lengths = lower.map(({ length }) => length);
    const letters = [...new Set(lower.join(""))];
    for (const [at, letter] of letters.entries()) {
      this.#classes[letter.charCodeAt(0)] = at + 1;
      this.#classes[letter.toUpperCase().charCodeAt(0)] = at + 1;
    }
    this.#width = letters.length + 1;
    const states: Map<number, number>[] = [new Map()];
    const ends: number[][] = [[]];
    for (const [word, text] of lower.entries()) {
      let state = 0;
      for (const letter of text) {
        const letterClass = this.#classes[letter.charCodeAt(0)] as number;
        let to = states[state]?.get(letterClass);
        if (to === undefined) {
          to = states.push(new Map()) - 1;
          ends.push([]);
          states[state]?.set(letterClass, to);
        }
        state = to;
      }
      ends[state]?.push(word);
    }
    this.#next = new Uint16Array(states.length * this.#width);
    this.#fill(states, ends);
    this.#ends = ends;
    this.#isEnd = Uint8Array.from(ends, ({ length }) => (length === 0 ? 0 : 1));
  }

  /** Fills in each state's successors, breadth first: a fallback state is complete before its successors are copied. */
  #fill(states: readonly Map<number, number>[], ends: number[][]): void {
    const width = this.#width;
    const fails = new Uint16Array(states.length);
    const queue = [0];
    for (const state of queue) {
      const fail = fails[state] as number;
      for (let letter = 1; letter < width; letter++) {
        const to = states[state]?.get(letter);
        const other = state === 0 ? 0 : (this.#next[fail * width + letter] as number);
        this.#next[state * width + letter] = to ?? other;
        if (to === undefined) continue;
        fails[to] = other;
        ends[to]?.push(...(ends[other] as number[]));
        queue.push(to);
      }
    }
  }

  /** Returns every occurrence, ordered by its end. */
  find(text: string): Hit[] {
    const hits: Hit[] = [];
    const width = this.#width;
    const classes = this.#classes;
    const next = this.#next;
    const isEnd = this.#isEnd;
    let state = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      state = next[state * width + (code < 128 ? (classes[code] as number) : OTHER)] as number;
      if (isEnd[state] === 0) continue;
      for (const word of this.#ends[state] as readonly number[])
        hits.push({ word, start: at + 1 - (this.#lengths[word] as number), end: at + 1 });
    }
    return hits;
  }
}
