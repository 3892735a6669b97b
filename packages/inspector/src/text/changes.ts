import { diffArrays } from "diff";

/** A place in a value where two versions of it differ. */
export interface ValueChange {
  /** The path of the place, such as `input.files[2].name`; empty for the value itself. */
  readonly path: string;
  readonly kind: "added" | "removed" | "changed";
  readonly before?: unknown;
  readonly after?: unknown;
}

const MOST_CHANGES = 500;
const MOST_COMPARED = 2000;
const TIMEOUT_MS = 20;

/** Lists the differences between two values, place by place. Texts that contain JSON are compared as JSON. */
export function changesOf(before: unknown, after: unknown): readonly ValueChange[] {
  if (before === undefined && after !== undefined) return [{ path: "", kind: "added", after }];
  if (after === undefined && before !== undefined) return [{ path: "", kind: "removed", before }];
  const found: ValueChange[] = [];
  compare(before, after, "", found);
  return found;
}

function compare(before: unknown, after: unknown, path: string, found: ValueChange[]): void {
  if (found.length >= MOST_CHANGES || before === after) return;
  if (Array.isArray(before) && Array.isArray(after)) compareLists(before, after, path, found);
  else if (isFields(before) && isFields(after)) compareFields(before, after, path, found);
  else if (typeof before === "string" && typeof after === "string") {
    const [from, to] = [parsed(before), parsed(after)];
    if (from !== undefined && to !== undefined && Array.isArray(from) === Array.isArray(to)) {
      const held: ValueChange[] = [];
      compare(from, to, path, held);
      // If the JSON is equal, only white space differs, and the texts are shown as changed.
      if (held.length > 0) found.push(...held);
      else found.push({ path, kind: "changed", before, after });
    } else found.push({ path, kind: "changed", before, after });
  } else found.push({ path, kind: "changed", before, after });
}

function compareFields(before: Fields, after: Fields, path: string, found: ValueChange[]): void {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const at = path === "" ? name : `${path}.${name}`;
    if (!Object.hasOwn(after, name)) found.push({ path: at, kind: "removed", before: before[name] });
    else if (!Object.hasOwn(before, name)) found.push({ path: at, kind: "added", after: after[name] });
    else compare(before[name], after[name], at, found);
  }
}

/** Compares two lists. Between equal items, the others are compared pairwise in their order. */
function compareLists(before: readonly unknown[], after: readonly unknown[], path: string, found: ValueChange[]): void {
  const parts = matched(before, after);
  let [from, to] = [0, 0];
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index] as Matched;
    const next = parts[index + 1];
    const removed = part.removed ? part.count : 0;
    const added = part.added ? part.count : part.removed && next?.added === true ? next.count : 0;
    if (part.removed && added > 0) index += 1;
    const both = Math.min(removed, added);
    for (let at = 0; at < both; at += 1) compare(before[from + at], after[to + at], `${path}[${to + at}]`, found);
    for (let at = both; at < removed; at += 1)
      found.push({ path: `${path}[${from + at}]`, kind: "removed", before: before[from + at] });
    for (let at = both; at < added; at += 1)
      found.push({ path: `${path}[${to + at}]`, kind: "added", after: after[to + at] });
    const same = part.added || part.removed ? 0 : part.count;
    from += removed + same;
    to += added + same;
  }
}

interface Matched {
  readonly count: number;
  readonly added: boolean;
  readonly removed: boolean;
}

function matched(before: readonly unknown[], after: readonly unknown[]): readonly Matched[] {
  const isLong = before.length + after.length > MOST_COMPARED;
  const texts = (list: readonly unknown[]): string[] => list.map((item) => JSON.stringify(item) ?? "");
  const found = isLong ? undefined : diffArrays(texts(before), texts(after), { timeout: TIMEOUT_MS });
  return (
    found ?? [
      { count: before.length, added: false, removed: true },
      { count: after.length, added: true, removed: false },
    ]
  );
}

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the object or list in a text that is JSON. */
function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
