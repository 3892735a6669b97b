import type { MomentQuery } from "./api.ts";
import { BadRequest } from "./bad-request.ts";
import { DECISIONS, MARKS, type MomentIndex } from "./moment-index.ts";

/** The maximum number of moments in one answer. */
export const WINDOW = 500;
const USUAL_WINDOW = 100;
const LONGEST_TEXT = 1000;

/** Reads the filters from an address. Throws for an invalid number and for a text that is too long. */
export function filterIn(query: URLSearchParams): Filter {
  const list = (name: string): string[] | undefined => {
    const words = query.getAll(name).flatMap((text) => text.split(","));
    const named = words.map((word) => word.trim()).filter((word) => word !== "");
    return named.length === 0 ? undefined : named;
  };
  const hooks = query.getAll("hook").filter((id) => id !== "");
  const q = query.get("q")?.slice(0, LONGEST_TEXT + 1) ?? "";
  if (q.length > LONGEST_TEXT) throw new BadRequest(`q is longer than ${LONGEST_TEXT} characters; search for less.`);
  return {
    events: list("event"),
    tools: list("tool"),
    decisions: list("decision"),
    hooks: hooks.length === 0 ? undefined : hooks,
    q: q.trim() === "" ? undefined : q,
    since: numberIn(query, "since"),
    until: numberIn(query, "until"),
  };
}

/** The filters of a request. */
export interface Filter {
  readonly events: readonly string[] | undefined;
  readonly tools: readonly string[] | undefined;
  readonly decisions: readonly string[] | undefined;
  readonly hooks: readonly string[] | undefined;
  readonly q: string | undefined;
  readonly since: number | undefined;
  readonly until: number | undefined;
}

/** Whether the filter accepts every moment. */
export function isEmpty(filter: Filter): boolean {
  return Object.values(filter).every((part) => part === undefined);
}

/** The requested window of a list: how many moments, and from where. */
export type Window = { readonly count: number } & Pick<MomentQuery, "from" | "around">;

/** Reads the window from an address; the count is at most `WINDOW`. */
export function windowIn(query: URLSearchParams): Window {
  const [from, around] = [numberIn(query, "from"), numberIn(query, "around")];
  const count = Math.min(WINDOW, Math.floor(numberIn(query, "count") ?? USUAL_WINDOW));
  return {
    count,
    ...(from !== undefined && { from: Math.floor(from) }),
    ...(around !== undefined && { around: Math.floor(around) }),
  };
}

/** Reads a number that is not negative; throws for any other text. */
export function numberIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === "") return undefined;
  const value = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && Number.isFinite(value) && value <= Number.MAX_SAFE_INTEGER) return value;
  throw new BadRequest(`${name} is not a number, 0 or more.`);
}

/**
 * Returns a function that reports whether a moment matches a filter, except for its text search. Names in the filter
 * that the index does not contain yet will match once they occur.
 */
export function fits(index: MomentIndex, filter: Filter): (n: number) => boolean {
  const { rows, events, tools, hookIds } = index;
  const { since, until, decisions } = filter;
  const isEvent = named(filter.events, events.number.bind(events), (at) => events.name(at));
  const isTool = named(filter.tools, tools.number.bind(tools), (at) => tools.name(at));
  const hooks = filter.hooks?.map((id) => hookIds.number(id));
  const wantedMarks = MARKS.reduce((bits, mark, bit) => bits | (decisions?.includes(mark) ? 1 << bit : 0), 0);
  const wanted = DECISIONS.map((decision) => decisions?.includes(decision ?? "none") === true);
  return (n) => {
    const at = n - 1;
    if (since !== undefined && rows.get("t", at) < since) return false;
    if (until !== undefined && rows.get("t", at) - rows.get("ms", at) > until) return false;
    if (!isEvent(rows.get("event", at)) || !isTool(rows.get("tool", at))) return false;
    if (decisions !== undefined && !wanted[rows.get("decision", at)] && (rows.get("marks", at) & wantedMarks) === 0)
      return false;
    return hooks === undefined || hooks.some((hook) => index.hooksOf(n).includes(hook));
  };
}

/**
 * Returns a function that reports whether one of the words matches a name, which is given by its number. `model.*`
 * matches every name that begins with `model.`.
 */
function named(
  words: readonly string[] | undefined,
  numberOf: (name: string) => number,
  nameOf: (number: number) => string | undefined,
): (number: number) => boolean {
  if (words === undefined) return () => true;
  const starts = words.filter((word) => word.endsWith("*")).map((word) => word.slice(0, -1));
  const exact = new Set(words.filter((word) => !word.endsWith("*")).map(numberOf));
  const known = new Map<number, boolean>();
  return (number) => {
    if (exact.has(number)) return true;
    if (starts.length === 0) return false;
    let isFit = known.get(number);
    if (isFit === undefined) {
      const name = nameOf(number);
      isFit = name !== undefined && starts.some((start) => name.startsWith(start));
      known.set(number, isFit);
    }
    return isFit;
  };
}

/** The moments that match a filter, in order, as far as the index has been built. */
export class Matches {
  readonly #fits: (n: number) => boolean;
  readonly #index: MomentIndex;
  #found: Uint32Array = new Uint32Array(256);
  #count = 0;
  #looked = 0;

  /** `hasText` reports whether a moment contains the searched text; absent if no text is searched. */
  constructor(index: MomentIndex, filter: Filter, hasText?: (n: number) => boolean) {
    this.#index = index;
    const isFit = fits(index, filter);
    this.#fits = hasText === undefined ? isFit : (n) => isFit(n) && hasText(n);
  }

  get count(): number {
    return this.#count;
  }

  /** Adds the matching moments up to the number `last`. */
  lookUpTo(last: number): void {
    for (; this.#looked < Math.min(last, this.#index.count); this.#looked++)
      if (this.#fits(this.#looked + 1)) this.#add(this.#looked + 1);
  }

  /** Returns the moments of one window, and the position of the first. */
  window({ from, around, count }: Window): { readonly from: number; readonly moments: readonly number[] } {
    const start = around === undefined ? (from ?? 0) : this.#positionOf(around) - Math.floor(count / 2);
    const first = around === undefined ? start : Math.max(0, Math.min(start, this.#count - count));
    return { from: first, moments: [...this.#found.subarray(first, Math.min(this.#count, first + count))] };
  }

  /** All moments found so far. */
  get all(): Uint32Array {
    return this.#found.subarray(0, this.#count);
  }

  /** Returns the position of a moment among those found, or the position it would have. */
  #positionOf(n: number): number {
    let [low, high] = [0, this.#count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#found[middle] as number) < n) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #add(n: number): void {
    if (this.#count === this.#found.length) {
      const larger = new Uint32Array(this.#found.length * 2);
      larger.set(this.#found);
      this.#found = larger;
    }
    this.#found[this.#count] = n;
    this.#count += 1;
  }
}
