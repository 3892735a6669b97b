import type { LaneRow } from "../hook/lane.ts";
import { cloneShell } from "../lens/clone.ts";
import { equal } from "../lens/equal.ts";

type Fields = Readonly<Record<string, unknown>>;
type Mutable = Record<string, unknown>;

interface Fed {
  /** Fields of an answer that are edits. */
  readonly edits: readonly string[];
  /** Those that the next handler sees. */
  readonly chains: ReadonlySet<string>;
  /** Those that may be edited in place. */
  readonly drafts: readonly string[];
}

const fed = new WeakMap<LaneRow, Fed>();

function fedOf(row: LaneRow): Fed {
  let known = fed.get(row);
  if (known === undefined) {
    const names = Object.keys(row.feeds);
    known = {
      edits: names,
      chains: new Set(names.filter((name) => row.feeds[name] !== "original")),
      drafts: names.filter((name) => row.feeds[name] === "draft"),
    };
    fed.set(row, known);
  }
  return known;
}

/**
 * What each handler of a lane is handed: earlier answers where the row chains them,
 * the lane's private copy where it may be edited in place, the original everywhere else.
 */
export class Feeder {
  readonly #row: LaneRow;
  readonly #fed: Fed;
  readonly #isolate: boolean;
  /** Compares drafts after each handler instead of once per lane. */
  readonly #exact: boolean;
  /** The event so far; never handed out where the lane is isolated, so nobody can have changed it. */
  #base: Fields;
  #before: Fields;
  #shared: Mutable | undefined;
  /** The objects that may be edited in place. Re-assigning the event's field leaves them as they are. */
  #drafts: Mutable | undefined;

  constructor(row: LaneRow, event: Fields, isolate: boolean, exact: boolean) {
    this.#row = row;
    this.#fed = fedOf(row);
    this.#isolate = isolate;
    this.#exact = exact;
    this.#base = event;
    this.#before = event;
  }

  /** The event for the next handler. */
  hand(): unknown {
    if (!this.#isolate) return this.#base;
    if (this.#shared !== undefined) return this.#shared;
    const event: Mutable = {};
    for (const name of Object.keys(this.#base)) {
      event[name] = this.#fed.drafts.includes(name) ? this.#draft(name) : cloneShell(this.#base[name]);
    }
    if (this.#row.kind === "observe" || this.#row.kind === "shutdown") this.#shared = event;
    return event;
  }

  #draft(name: string): unknown {
    this.#drafts ??= {};
    if (!Object.hasOwn(this.#drafts, name)) this.#drafts[name] = cloneShell(this.#base[name]);
    return this.#drafts[name];
  }

  /** What the last handler was shown, as a value that it cannot have changed. */
  seen(): unknown {
    return this.#base;
  }

  /** In-place edits since the last look, where they are looked for after each handler. */
  collect(): Fields | undefined {
    return this.#exact ? this.#compare() : undefined;
  }

  /** In-place edits of the whole lane, where they were not looked for before. */
  collectLate(): Fields | undefined {
    return this.#exact ? undefined : this.#compare();
  }

  #compare(): Fields | undefined {
    if (this.#drafts === undefined) return undefined;
    let edits: Mutable | undefined;
    for (const name of Object.keys(this.#drafts)) {
      const now = this.#drafts[name];
      if (!equal(now, this.#base[name])) (edits ??= {})[name] = now;
    }
    return edits;
  }

  /** Takes an answer's edits in, so that chained fields reach the next handler; the names of those that changed something. */
  feed(answer: Fields): string[] {
    const changed: string[] = [];
    let next: Mutable | undefined;
    for (const name of this.#fed.edits) {
      const value = answer[name];
      if (value === undefined || value === this.#base[name]) continue;
      if (this.#exact && equal(value, this.#base[name])) continue;
      changed.push(name);
      if (!this.#fed.chains.has(name)) continue;
      next ??= { ...this.#base };
      const draft = this.#isolate && this.#fed.drafts.includes(name);
      next[name] = draft ? cloneShell(value) : value;
      if (draft) (this.#drafts ??= {})[name] = value;
    }
    this.#before = this.#base;
    if (next !== undefined) this.#base = next;
    return changed;
  }

  /** The field's value before the last `feed`. */
  before(name: string): unknown {
    return this.#before[name];
  }
}
