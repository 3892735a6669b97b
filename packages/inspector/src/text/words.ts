import { diffLines, diffWordsWithSpace } from "diff";

/** A stretch of text, and whether it was added, removed or is unchanged. */
export interface Stretch {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
}

/** The largest number of characters for a diff by words. Longer texts are compared by lines. */
const MOST_FOR_WORDS = 20_000;
/**
 * The largest number of characters for a diff by lines. In longer texts, only the equal beginning and end are found.
 */
const MOST_FOR_LINES = 500_000;
/** The time limit for a diff, in ms, so that the page stays responsive. A coarser diff is made instead. */
const TIMEOUT_MS = 20;

/** Finds the changes between two texts: by words, or for longer texts by lines or as a whole. */
export function stretchesOf(before: string, after: string): readonly Stretch[] {
  const head = commonHead(before, after);
  const tail = commonTail(before, after, head);
  const from = before.slice(head, before.length - tail);
  const to = after.slice(head, after.length - tail);
  const middle = byWords(from, to) ?? byLines(from, to) ?? whole(from, to);
  return joined([
    { kind: "same", text: before.slice(0, head) },
    ...middle,
    { kind: "same", text: before.slice(before.length - tail) },
  ]);
}

type Found = readonly { readonly value: string; readonly added: boolean; readonly removed: boolean }[] | undefined;

function byWords(from: string, to: string): readonly Stretch[] | undefined {
  if (from.length + to.length > MOST_FOR_WORDS) return undefined;
  return stretches(diffWordsWithSpace(from, to, { timeout: TIMEOUT_MS }));
}

function byLines(from: string, to: string): readonly Stretch[] | undefined {
  if (from.length + to.length > MOST_FOR_LINES) return undefined;
  return stretches(diffLines(from, to, { timeout: TIMEOUT_MS }));
}

function whole(from: string, to: string): readonly Stretch[] {
  return [
    { kind: "removed", text: from },
    { kind: "added", text: to },
  ];
}

function stretches(found: Found): readonly Stretch[] | undefined {
  return found?.map(({ value, added, removed }) => ({
    kind: added ? "added" : removed ? "removed" : "same",
    text: value,
  }));
}

/** Merges neighbouring stretches of the same kind, and drops empty ones. */
function joined(stretches: readonly Stretch[]): readonly Stretch[] {
  const all: Stretch[] = [];
  for (const one of stretches) {
    const last = all.at(-1);
    if (one.text === "") continue;
    if (last?.kind === one.kind) all[all.length - 1] = { kind: one.kind, text: last.text + one.text };
    else all.push(one);
  }
  return all;
}

const WORD = /[\p{L}\p{N}_]/u;

/** Returns the length of the common beginning of two texts, shortened so that it does not end inside a word. */
function commonHead(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at < most && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  if (at === a.length && at === b.length) return at;
  while (at > 0 && isInside(a, b, at)) at -= 1;
  return at;
}

function commonTail(a: string, b: string, head: number): number {
  const most = Math.min(a.length, b.length) - head;
  let count = 0;
  while (count < most && a.charCodeAt(a.length - 1 - count) === b.charCodeAt(b.length - 1 - count)) count += 1;
  while (count > 0 && (isInsideAt(a, a.length - count) || isInsideAt(b, b.length - count))) count -= 1;
  return count;
}

function isInside(a: string, b: string, at: number): boolean {
  return isInsideAt(a, at) || isInsideAt(b, at);
}

/** Whether a position is inside a word, or between the two halves of a surrogate pair. */
function isInsideAt(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return false;
  const left = text.charAt(at - 1);
  const right = text.charAt(at);
  return (isUnit(left) && isUnit(right)) || (WORD.test(left) && WORD.test(right));
}

function isUnit(half: string): boolean {
  const code = half.charCodeAt(0);
  return code >= 0xd800 && code <= 0xdfff;
}
