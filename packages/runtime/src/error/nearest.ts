/** Which part of a word may be mistyped so that it still counts as near. */
const MISTYPED = 0.4;

/** The candidate with the fewest edits from `word`, whatever their case; `undefined` where none is near. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    // Of equally near words the one of the same length is likelier meant.
    const cost = distance(word.toLowerCase(), candidate.toLowerCase()) + Math.abs(word.length - candidate.length) / 100;
    if (cost < least) {
      least = cost;
      best = candidate;
    }
  }
  return best !== undefined && least <= Math.max(word.length, best.length) * MISTYPED ? best : undefined;
}

/** The question for the nearest candidate, with a blank behind it; empty text where none is near. */
export function guess(word: string, candidates: Iterable<string>): string {
  return didYouMean(nearest(word, candidates));
}

/** The question for a name, with a blank behind it; empty text for none. */
export function didYouMean(name: string | undefined): string {
  return name === undefined ? "" : `Did you mean "${name}"? `;
}

/** What to do about a word that is none of the candidates: the question for the nearest, or all of them. */
export function chooseFrom(word: string, candidates: readonly string[]): string {
  return guess(word, candidates).trim() || `Give one of ${candidates.join(", ")}.`;
}

/** Edits between two words, where two letters that changed places are one edit. */
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
