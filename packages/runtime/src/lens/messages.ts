import { align } from "./align.ts";
import { type CallLens, sameCalls } from "./call.ts";
import { type FlatCall, type FlatMessage, type FlatPart, parts, type WholeMessage } from "./flat.ts";
import { pairUp } from "./pairs.ts";
import { type Piece, Rebuilder } from "./rebuild.ts";

export { type FlatCall, type FlatMessage, flatten, type WholeMessage } from "./flat.ts";

/** A text-only message that a hook returned: its content may be missing, or have tool calls beside it. */
export interface GivenMessage {
  readonly role: string;
  readonly content?: string | undefined;
  readonly tool_calls?: readonly FlatCall[] | undefined;
  readonly tool_call_id?: string | undefined;
}

/**
 * Applies a hook's list of flat messages to the full messages from which `flatten` made the list.
 *
 * Each flat message is matched with one original: an equal one, wherever it is; else one with its call ids; else, in a
 * run of changed messages, the one at its place, if the run has as many messages and the same roles as before. A
 * changed original keeps its images, thinking and other fields. A flat message without an original becomes a new
 * message, and an original without a flat message is removed, unless `flatten` leaves it out. Then every tool call is
 * followed by its result (`pairUp`). An unchanged list returns `original` itself.
 */
export function putMessages<M extends WholeMessage>(
  given: readonly GivenMessage[],
  original: readonly M[],
  calls: CallLens = sameCalls,
): readonly M[] {
  const sources = parts(original, calls);
  const asked = given.flatMap(normal);
  if (asked.length === sources.length && asked.every((flat, i) => sameFlat(flat, (sources[i] as FlatPart).flat)))
    return original;
  const { messages: wanted, invented } = pairUp(asked);
  const found = locate(wanted, sources, invented);
  const pieces = wanted.map((flat, n): Piece => {
    const source = sources[found[n] as number];
    if (source === undefined) return { fresh: flat, invented: invented.has(flat) };
    return { source, flat, edited: !sameFlat(flat, source.flat) };
  });
  const put = new Rebuilder(original, calls, wanted).build(pieces);
  return put.length === original.length && put.every((message, i) => message === original[i]) ? original : put;
}

/**
 * Converts text-only messages that a hook adds to full ones. `beside` is the conversation that they join. Calls without
 * results, and results without calls, are handled by `pairUp`.
 */
export function newMessages<M extends WholeMessage>(
  given: readonly GivenMessage[],
  beside: readonly M[],
  calls: CallLens = sameCalls,
): readonly M[] {
  const { messages: wanted, invented } = pairUp(given.flatMap(normal));
  return new Rebuilder(beside, calls, wanted, false).build(
    wanted.map((flat) => ({ fresh: flat, invented: invented.has(flat) })),
  );
}

/** Returns the ids of tool results that follow no unanswered call with the same id. */
export function orphansOf(given: readonly GivenMessage[]): readonly string[] {
  return pairUp(given.flatMap(normal)).orphans;
}

/**
 * Converts a flat message to the form in which flat messages are compared: known fields only, text and calls separate.
 */
function normal(given: GivenMessage): FlatMessage[] {
  const content = given.content ?? "";
  if (given.role === "tool") return [{ role: "tool", content, tool_call_id: given.tool_call_id ?? "" }];
  if (given.role !== "assistant") return [{ role: "user", content }];
  const made = given.tool_calls ?? [];
  if (made.length === 0) return [{ role: "assistant", content }];
  const tool_calls = made.map((call) => ({ id: call.id, name: call.name, arguments: call.arguments }));
  const called: FlatMessage = { role: "assistant", content: "", tool_calls };
  return content === "" ? [called] : [{ role: "assistant", content }, called];
}

/**
 * Returns for each flat message of the result the index of the original that it was made from, or -1: found by
 * equality, then by call id, then by position.
 */
function locate(
  wanted: readonly FlatMessage[],
  sources: readonly FlatPart[],
  invented: ReadonlySet<FlatMessage>,
): Int32Array {
  const flats = sources.map(({ flat }) => flat);
  const found = align(flats, wanted, sameFlat, keyOf);
  const anchors = found.slice();
  const free = new Set<number>(flats.keys());
  for (const i of found) free.delete(i);
  const open = [...wanted.keys()].filter((n) => found[n] === -1 && !invented.has(wanted[n] as FlatMessage));
  const located = { wanted, flats, anchors, found, free, open };
  claim(located, (flat) => [keyOf(flat)]);
  claim(located, callKeys);
  byPosition(located);
  return found;
}

interface Located {
  readonly wanted: readonly FlatMessage[];
  readonly flats: readonly FlatMessage[];
  /** For each message in `wanted`, the index of an equal one in `flats`, or -1; the indices increase. */
  readonly anchors: Int32Array;
  readonly found: Int32Array;
  /** `free`: indices in `flats` without a match yet. `open`: indices in `wanted` that may be edits of those. */
  readonly free: Set<number>;
  readonly open: readonly number[];
}

/** Matches each open message that has no original with the first free original that shares one of its `keys`. */
function claim({ wanted, flats, found, free, open }: Located, keys: (flat: FlatMessage) => readonly string[]): void {
  if (free.size === 0 || open.length === 0) return;
  const byKey = new Map<string, number[]>();
  for (const i of free) {
    for (const key of keys(flats[i] as FlatMessage)) {
      const held = byKey.get(key);
      if (held === undefined) byKey.set(key, [i]);
      else held.push(i);
    }
  }
  for (const n of open) {
    if (found[n] !== -1) continue;
    for (const key of keys(wanted[n] as FlatMessage)) {
      const held = byKey.get(key) ?? [];
      while (held.length > 0 && !free.has(held[0] as number)) held.shift();
      const i = held.shift();
      if (i === undefined) continue;
      found[n] = i;
      free.delete(i);
      break;
    }
  }
}

/**
 * Matches messages by position: between two matched messages, changed messages are edits of the free originals if both
 * have the same number and roles.
 */
function byPosition({ wanted, flats, anchors, found, free, open }: Located): void {
  const asked = new Set(open);
  let from = 0;
  let gap: number[] = [];
  const settle = (to: number): void => {
    if (gap.length > 0) {
      const left: number[] = [];
      for (let i = from; i < to; i++) if (free.has(i)) left.push(i);
      const fits =
        left.length === gap.length &&
        gap.every((n, k) => sameKind(wanted[n] as FlatMessage, flats[left[k] as number] as FlatMessage));
      if (fits) for (const [k, n] of gap.entries()) found[n] = left[k] as number;
      gap = [];
    }
    from = to + 1;
  };
  for (let n = 0; n < wanted.length; n++) {
    if (anchors[n] !== -1) settle(anchors[n] as number);
    else if (found[n] === -1 && asked.has(n)) gap.push(n);
  }
  settle(flats.length);
}

function sameKind(a: FlatMessage, b: FlatMessage): boolean {
  return (
    a.role === b.role &&
    a.tool_call_id === b.tool_call_id &&
    (a.tool_calls === undefined) === (b.tool_calls === undefined)
  );
}

function sameFlat(a: FlatMessage, b: FlatMessage): boolean {
  if (!sameKind(a, b) || a.content !== b.content) return false;
  const x = a.tool_calls;
  const y = b.tool_calls;
  if (x === undefined || y === undefined) return true;
  return (
    x.length === y.length &&
    x.every((call, i) => {
      const other = y[i] as FlatCall;
      return call.id === other.id && call.name === other.name && call.arguments === other.arguments;
    })
  );
}

function keyOf(flat: FlatMessage): string {
  const calls = flat.tool_calls?.map((call) => [call.id, call.name, call.arguments]);
  return JSON.stringify([flat.role, flat.tool_call_id, flat.content, calls]);
}

function callKeys(flat: FlatMessage): readonly string[] {
  if (flat.tool_call_id !== undefined) return [`result ${flat.tool_call_id}`];
  return flat.tool_calls?.map((call) => `call ${call.id}`) ?? [];
}
