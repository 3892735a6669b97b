/**
 * The largest range, in pairs of items, that is aligned exactly. A larger one is first split at items that occur once
 * in both lists.
 */
const EXACT_PAIRS = 4_000_000;
/** The number of additions and removals up to which they are found by comparing items, without computing keys. */
const FEW_EDITS = 64;

/**
 * Aligns two lists: returns for each item of `b` the index of its equal in `a`, or -1. The indices increase.
 *
 * Takes linear time if little has changed. The alignment is a longest common subsequence; if that would take too long,
 * with many edits in long lists, only items that occur once in both are aligned. `same` and `key` must agree: equal
 * items, and only those, have equal keys.
 */
export function align<T>(
  a: readonly T[],
  b: readonly T[],
  same: (x: T, y: T) => boolean,
  key: (item: T) => string,
): Int32Array {
  const matches = new Int32Array(b.length).fill(-1);
  const found: Found = (i, j) => {
    matches[j] = i;
  };
  let start = 0;
  while (start < a.length && start < b.length && same(a[start] as T, b[start] as T)) {
    found(start, start);
    start += 1;
  }
  let aEnd = a.length;
  let bEnd = b.length;
  while (aEnd > start && bEnd > start && same(a[aEnd - 1] as T, b[bEnd - 1] as T)) found(--aEnd, --bEnd);
  if (start === aEnd || start === bEnd) return matches;
  const middleA = a.slice(start, aEnd);
  const middleB = b.slice(start, bEnd);
  const shifted: Found = (i, j) => found(start + i, start + j);
  if (withFewEdits(middleA, middleB, same, shifted)) return matches;
  const numbers = new Map<string, number>();
  const number = (item: T): number => {
    const name = key(item);
    const known = numbers.get(name);
    if (known !== undefined) return known;
    numbers.set(name, numbers.size);
    return numbers.size - 1;
  };
  const x = Int32Array.from(middleA, number);
  const y = Int32Array.from(middleB, number);
  between(x, y, { aFrom: 0, aTo: x.length, bFrom: 0, bTo: y.length }, shifted);
  return matches;
}

type Found = (i: number, j: number) => void;

/** Runs Myers' greedy search, abandoned after `FEW_EDITS`; returns whether it finished. */
function withFewEdits<T>(a: readonly T[], b: readonly T[], same: (x: T, y: T) => boolean, found: Found): boolean {
  if (Math.abs(a.length - b.length) > FEW_EDITS) return false;
  const middle = FEW_EDITS + 1;
  const reach = new Int32Array(2 * middle + 1);
  const history: Int32Array[] = [];
  for (let edits = 0; edits <= FEW_EDITS; edits++) {
    history.push(reach.slice());
    for (let k = -edits; k <= edits; k += 2) {
      let i = isAddition(reach, middle, k, edits)
        ? (reach[middle + k + 1] as number)
        : (reach[middle + k - 1] as number) + 1;
      let j = i - k;
      while (i < a.length && j < b.length && same(a[i] as T, b[j] as T)) {
        i += 1;
        j += 1;
      }
      reach[middle + k] = i;
      if (i === a.length && j === b.length) {
        walkBack(history, middle, { i, j }, found);
        return true;
      }
    }
  }
  return false;
}

/** Returns whether Myers' search enters diagonal `k` from `k + 1` (an addition), not from `k - 1` (a removal). */
function isAddition(reach: Int32Array, middle: number, k: number, edits: number): boolean {
  if (k === -edits || k === edits) return k === -edits;
  return (reach[middle + k - 1] as number) < (reach[middle + k + 1] as number);
}

function walkBack(history: readonly Int32Array[], middle: number, end: { i: number; j: number }, found: Found): void {
  let { i, j } = end;
  for (let edits = history.length - 1; edits >= 0; edits--) {
    const reach = history[edits] as Int32Array;
    const k = i - j;
    const added = isAddition(reach, middle, k, edits);
    const entered = added ? (reach[middle + k + 1] as number) : (reach[middle + k - 1] as number) + 1;
    while (i > entered && j > entered - k) found(--i, --j);
    if (added) j -= 1;
    else i -= 1;
  }
}

interface Range {
  readonly aFrom: number;
  readonly aTo: number;
  readonly bFrom: number;
  readonly bTo: number;
}

function between(a: Int32Array, b: Int32Array, range: Range, found: Found): void {
  let { aFrom, aTo, bFrom, bTo } = range;
  while (aFrom < aTo && bFrom < bTo && a[aFrom] === b[bFrom]) found(aFrom++, bFrom++);
  while (aFrom < aTo && bFrom < bTo && a[aTo - 1] === b[bTo - 1]) found(--aTo, --bTo);
  if (aFrom === aTo || bFrom === bTo) return;
  if ((aTo - aFrom) * (bTo - bFrom) <= EXACT_PAIRS) {
    exactly(a, b, { aFrom, aTo, bFrom, bTo }, found);
    return;
  }
  const anchors = unique(a, b, { aFrom, aTo, bFrom, bTo });
  if (anchors.length === 0) return;
  for (const [i, j] of anchors) {
    between(a, b, { aFrom, aTo: i, bFrom, bTo: j }, found);
    found(i, j);
    aFrom = i + 1;
    bFrom = j + 1;
  }
  between(a, b, { aFrom, aTo, bFrom, bTo }, found);
}

/** Calls `found` for each pair of a longest common subsequence of a range. */
function exactly(a: Int32Array, b: Int32Array, { aFrom, aTo, bFrom, bTo }: Range, found: Found): void {
  const width = bTo - bFrom + 1;
  // The length of a common subsequence is at most the square root of EXACT_PAIRS, so 16 bits hold it.
  const lengths = new Uint16Array((aTo - aFrom + 1) * width);
  for (let i = aTo - 1; i >= aFrom; i--) {
    const row = (i - aFrom) * width;
    for (let j = bTo - 1; j >= bFrom; j--) {
      const at = row + j - bFrom;
      const down = lengths[at + width] as number;
      const right = lengths[at + 1] as number;
      lengths[at] = a[i] === b[j] ? (lengths[at + width + 1] as number) + 1 : Math.max(down, right);
    }
  }
  let i = aFrom;
  let j = bFrom;
  while (i < aTo && j < bTo) {
    const at = (i - aFrom) * width + j - bFrom;
    if (a[i] === b[j]) found(i++, j++);
    else if ((lengths[at + width] as number) >= (lengths[at + 1] as number)) i += 1;
    else j += 1;
  }
}

/**
 * Pairs the items that occur once in each list's part of a range; returns the longest sequence of pairs in the same
 * order.
 */
function unique(a: Int32Array, b: Int32Array, { aFrom, aTo, bFrom, bTo }: Range): [number, number][] {
  const inA = singles(a, aFrom, aTo);
  const inB = singles(b, bFrom, bTo);
  const pairs: [number, number][] = [];
  for (const [item, i] of inA) {
    const j = inB.get(item);
    if (i >= 0 && j !== undefined && j >= 0) pairs.push([i, j]);
  }
  return increasing(pairs);
}

/** Returns the index of each item that occurs once, and -1 for the others, in order of first occurrence. */
function singles(items: Int32Array, from: number, to: number): Map<number, number> {
  const at = new Map<number, number>();
  for (let i = from; i < to; i++) at.set(items[i] as number, at.has(items[i] as number) ? -1 : i);
  return at;
}

/** Returns the longest sequence of pairs, sorted by their first numbers, in which the second numbers increase too. */
function increasing(pairs: readonly [number, number][]): [number, number][] {
  const ends: number[] = [];
  const before = new Int32Array(pairs.length).fill(-1);
  pairs.forEach(([, j], n) => {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[ends[middle] as number] as [number, number])[1] < j) low = middle + 1;
      else high = middle;
    }
    if (low > 0) before[n] = ends[low - 1] as number;
    ends[low] = n;
  });
  const chain: [number, number][] = [];
  for (let n = ends.at(-1) ?? -1; n >= 0; n = before[n] as number) chain.push(pairs[n] as [number, number]);
  return chain.reverse();
}
