import { diffArrays } from "diff";
import { keyOfPart, type Part } from "./message-parts.ts";

/** The moment of a change to a request, and a function that finds its authors. */
export interface AuthoredChange {
  readonly at: number;
  /** Returns the hooks that may have added this part; empty if the host did. */
  by(part: Part): readonly string[];
}

/** If more parts than this were added or removed, all parts between the common beginning and end count as changed. */
const MOST_EDITS = 4000;

/**
 * Compares the parts of a request before and after a change: kept parts keep their authors, new ones are marked as
 * added or rewritten, and removed ones stay in their places. If no hook can have changed anything, the new parts are
 * returned unchanged.
 */
export function changed(before: readonly Part[], after: readonly Part[], change: AuthoredChange): Part[] {
  const old = before.map(keyOfPart);
  const now = after.map(keyOfPart);
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const middle = hunks(old.slice(start, old.length - end), now.slice(start, now.length - end));
  const parts: Part[] = before.slice(0, start);
  let [left, right] = [start, start];
  for (const { kept, removed, added } of middle) {
    parts.push(...before.slice(left, left + kept));
    left += kept;
    right += kept;
    parts.push(...hunk(before.slice(left, left + removed), after.slice(right, right + added), change));
    left += removed;
    right += added;
  }
  return [...parts, ...before.slice(before.length - end)];
}

function hunk(removed: readonly Part[], added: readonly Part[], { at, by }: AuthoredChange): Part[] {
  const parts: Part[] = [];
  const left = [...removed];
  for (const part of added) {
    const whose = by(part);
    if (whose.length === 0) {
      parts.push(part);
      continue;
    }
    const like = left.findIndex(({ role, kind, call, change }) => {
      return role === part.role && kind === part.kind && call === part.call && change !== "removed";
    });
    if (like < 0) parts.push({ ...part, by: whose, change: "added", at });
    else {
      const [was] = left.splice(like, 1) as [Part];
      const all = [...new Set([...(was.by ?? []), ...whose])];
      parts.push({ ...part, by: all, change: "rewritten", before: was.before ?? was.text, at });
    }
  }
  const gone = left.flatMap((part): Part[] => {
    const whose = part.change === "removed" ? [] : by(part);
    if (part.change === "removed") return [part];
    return whose.length === 0 ? [] : [{ ...part, by: whose, change: "removed", at }];
  });
  return [...gone, ...parts];
}

interface Hunk {
  readonly kept: number;
  readonly removed: number;
  readonly added: number;
}

function hunks(old: readonly string[], now: readonly string[]): Hunk[] {
  if (old.length === 0 || now.length === 0) return [{ kept: 0, removed: old.length, added: now.length }];
  const pieces = diffArrays([...old], [...now], { maxEditLength: MOST_EDITS });
  if (pieces === undefined) return [{ kept: 0, removed: old.length, added: now.length }];
  const found: Hunk[] = [];
  let [kept, removed, added] = [0, 0, 0];
  for (const { added: isAdded, removed: isRemoved, count } of pieces) {
    if (isAdded) added += count;
    else if (isRemoved) removed += count;
    else {
      found.push({ kept, removed, added });
      [kept, removed, added] = [count, 0, 0];
    }
  }
  return [...found, { kept, removed, added }];
}

/** A piece of a text, and the hooks that have changed it. */
export type Stretch = Pick<Part, "text" | "by" | "change" | "before" | "at">;

/** Marks the text from the first to the last difference to `next` as made by the hooks `by`. */
export function changedText(
  stretches: readonly Stretch[],
  next: string,
  { by, at }: { readonly by: readonly string[]; readonly at: number },
): Stretch[] {
  const shown = stretches.filter(({ change }) => change !== "removed");
  const old = shown.map(({ text }) => text).join("");
  if (old === next) return [...stretches];
  let start = 0;
  while (start < old.length && start < next.length && old[start] === next[start]) start += 1;
  let end = 0;
  const most = Math.min(old.length, next.length) - start;
  while (end < most && old[old.length - 1 - end] === next[next.length - 1 - end]) end += 1;
  const added = next.slice(start, next.length - end);
  const removed = old.slice(start, old.length - end);
  const mark = (change: Part["change"]): Partial<Stretch> =>
    by.length === 0 || change === undefined ? {} : { by, change, at };
  const middle: Stretch[] = [];
  if (added !== "" && removed !== "")
    middle.push({ text: added, ...mark("rewritten"), ...(by.length > 0 && { before: removed }) });
  else if (added !== "") middle.push({ text: added, ...mark("added") });
  else if (by.length > 0) middle.push({ text: removed, ...mark("removed") });
  return [...part(shown, 0, start), ...middle, ...part(shown, old.length - end, old.length)];
}

/** Returns the stretches between two positions of the text. */
function part(stretches: readonly Stretch[], from: number, to: number): Stretch[] {
  let at = 0;
  return stretches.flatMap((stretch) => {
    const [start, end] = [Math.max(from - at, 0), Math.min(to - at, stretch.text.length)];
    at += stretch.text.length;
    return end > start ? [{ ...stretch, text: stretch.text.slice(start, end) }] : [];
  });
}

/** Marks the places in a text where a hook has added `text`. */
export function markedIn(stretches: readonly Stretch[], text: string, by: readonly string[], at: number): Stretch[] {
  return stretches.flatMap((stretch) => {
    const found = stretch.change === undefined ? stretch.text.indexOf(text) : -1;
    if (found < 0) return [stretch];
    const rest = [
      { ...stretch, text: stretch.text.slice(0, found) },
      { text, by, change: "added" as const, at },
      { ...stretch, text: stretch.text.slice(found + text.length) },
    ];
    return rest.filter((one) => one.text !== "");
  });
}
