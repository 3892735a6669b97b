/** The largest share of letters that may differ between a mistyped word and the word it is taken for. */
const MISTYPED = 0.4;

/** Returns the candidate with the fewest edits from `word`, ignoring case. At most `edits` are allowed. */
export function nearest(
  word: string,
  candidates: Iterable<string>,
  edits = Number.POSITIVE_INFINITY,
): string | undefined {
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    // Among equally near words, one from which letters were left out is the most likely, then one of the same length.
    const off = isWithin(word, candidate) ? -1 : Math.abs(word.length - candidate.length);
    const cost = distance(word.toLowerCase(), candidate.toLowerCase()) + off / 100;
    if (cost < least) {
      least = cost;
      best = candidate;
    }
  }
  if (best === undefined) return undefined;
  return least <= Math.min(Math.max(word.length, best.length) * MISTYPED, edits + 0.5) ? best : undefined;
}

/** Returns a "Did you mean" sentence for the nearest candidate, with a trailing space; empty if none is near. */
export function guess(word: string, candidates: Iterable<string>): string {
  return didYouMean(nearest(word, candidates));
}

/** Returns a "Did you mean" sentence for a name, with a trailing space; empty without a name. */
export function didYouMean(name: string | undefined): string {
  return name === undefined ? "" : `Did you mean "${name}"? `;
}

/** Returns the hint for an unknown word: a "Did you mean" sentence for the nearest candidate, or a list of all. */
export function chooseFrom(word: string, candidates: readonly string[]): string {
  return guess(word, candidates).trim() || `Give one of ${candidates.join(", ")}.`;
}

/** Whether a candidate contains all letters of a word in their order. */
function isWithin(word: string, candidate: string): boolean {
  let at = 0;
  for (const letter of candidate) if (letter === word[at]) at += letter.length;
  return at === word.length;
}

/** Returns the number of edits between two words. Swapping two adjacent letters is one edit. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let least = Math.min(
        (row[j - 1] as number) + (same ? 0 : 1),
        (row[j] as number) + 1,
        (next[j - 1] as number) + 1,
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (before[j - 2] as number) + 1);
      next.push(least);
    }
    before = row;
    row = next;
  }
  return row[b.length] as number;
}
