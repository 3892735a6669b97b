import type { Shown } from "../catalog/row.ts";
import type { LaneRow, Station } from "../hook/lane.ts";
import { cloneAnswer, cloneShell, cloneSized, isPlain, type Sizes, setField } from "../lens/clone.ts";
import { cloneAnswerOver, equal, reconcile } from "../lens/equal.ts";

type Fields = Readonly<Record<string, unknown>>;
type Mutable = Record<string, unknown>;

/**
 * What each handler of a lane is handed: earlier answers where the row chains them,
 * the lane's private copy where it may be edited in place, the original everywhere else.
 */
export class Feeder implements Shown {
  readonly #row: LaneRow;
  readonly #isolate: boolean;
  /** Looks for edits in place after each handler instead of once per lane. */
  readonly #exact: boolean;
  /** The event so far; never handed out where the lane is isolated, so nobody can have changed it. */
  #base: Fields;
  #before: Fields | undefined = undefined;
  /** The objects that may be edited in place. Re-assigning the event's field leaves them as they are. */
  #drafts: Mutable | undefined = undefined;
  /** Of the values that drafts were made from, while those are the event's. */
  readonly #sizes = new Map<string, Sizes>();
  /** Drafts that an answer brought and that nobody has been handed yet: they are as the answer was read. */
  readonly #unseen = new Set<string>();

  constructor(row: LaneRow, event: Fields, isolate: boolean, exact: boolean) {
    this.#row = row;
    this.#isolate = isolate;
    this.#exact = exact;
    this.#base = event;
  }

  /** The event for the next handler. */
  hand(): unknown {
    return this.#isolate ? privateEvent(this.#base, this) : this.#base;
  }

  /** The event for a matcher, which looks and changes nothing. */
  peek(): unknown {
    return this.#drafts === undefined ? this.#base : this.hand();
  }

  /** The lane's private copy of a field that may be edited in place; nothing where it may not. */
  draft(name: string): unknown {
    const feed = this.#row.feeds[name];
    if (feed !== "draft" && feed !== "shared") return undefined;
    this.#unseen.delete(name);
    this.#drafts ??= {};
    if (!Object.hasOwn(this.#drafts, name)) {
      const { copy, sizes } = cloneSized(this.#base[name]);
      this.#drafts[name] = copy;
      this.#sizes.set(name, sizes);
    }
    return this.#drafts[name];
  }

  /** What the last handler was shown, as a value that it cannot have changed. */
  seen(): unknown {
    return this.#base;
  }

  /** In-place edits since the last look, where they are looked for after each handler. Throws for what cannot be copied. */
  collect(): Fields | undefined {
    return this.#exact ? this.#edits() : undefined;
  }

  /** Whether edits in place count beneath the answers instead of as ones. */
  get shares(): boolean {
    return Object.values(this.#row.feeds).includes("shared");
  }

  /** Whether there may be edits in place that nobody has looked for yet. */
  get edited(): boolean {
    return !this.#exact && this.#drafts !== undefined;
  }

  /** In-place edits of the whole lane, where they were not looked for before. Throws like `collect`. */
  collectLate(): Fields | undefined {
    return this.#exact ? undefined : this.#edits();
  }

  #edits(): Fields | undefined {
    const drafts = this.#drafts;
    if (drafts === undefined) return undefined;
    let edits: Mutable | undefined;
    // Looked at once: what cannot be copied is dropped.
    this.#drafts = undefined;
    for (const name of Object.keys(drafts)) {
      if (this.#unseen.has(name)) continue;
      const now = reconcile(drafts[name], this.#base[name], this.#sizes.get(name));
      if (now !== this.#base[name]) (edits ??= {})[name] = now;
    }
    this.#drafts = drafts;
    return edits;
  }

  settle(field: string, said: unknown): unknown {
    const shown = this.#base[field];
    const sizes = this.#sizes.get(field);
    return sizes === undefined || !Array.isArray(shown) ? cloneAnswer(said) : cloneAnswerOver(said, shown, sizes);
  }

  /**
   * An answer that its handler cannot change any more, with the parts that are as they were before replaced by those.
   * Answers of other processes are private already. Throws for what cannot be copied.
   */
  own(answer: Fields): Fields {
    if (!this.#isolate || !isPlain(answer)) return answer;
    const own: Mutable = { ...answer };
    for (const name of Object.keys(own)) {
      const value = own[name];
      if (typeof value !== "object" || value === null) continue;
      setField(
        own,
        name,
        Object.hasOwn(this.#row.feeds, name)
          ? reconcile(value, this.#base[name], this.#sizes.get(name))
          : cloneShell(value),
      );
    }
    return own;
  }

  /**
   * Takes an answer's edits in, so that chained fields reach the next handler; the names of those that changed
   * something. The objects of `given`, which is the answer as the handler gave it, become the drafts. `inPlace` says
   * that the answer is an edit in place.
   */
  feed(answer: Fields, given: Fields | undefined, inPlace = false): readonly string[] {
    let changed: string[] | undefined;
    let next: Mutable | undefined;
    const { feeds } = this.#row;
    for (const name in feeds) {
      const value = answer[name];
      if (value === undefined) continue;
      if (this.#isolate && feeds[name] === "draft" && given?.[name] !== undefined) this.#redraft(name, given[name]);
      if (value === this.#base[name]) continue;
      if (this.#isolate || !equal(value, this.#base[name])) (changed ??= []).push(name);
      if (feeds[name] === "original" || (feeds[name] === "shared" && !inPlace)) continue;
      next ??= { ...this.#base };
      next[name] = value;
      this.#sizes.delete(name);
    }
    this.#before = this.#base;
    if (next !== undefined) this.#base = next;
    return changed ?? NONE;
  }

  /** Gives up the drafts: the next handler gets new ones, made from the event as it is by then. */
  forget(): void {
    this.#drafts = undefined;
    this.#sizes.clear();
    this.#unseen.clear();
  }

  /** Takes what an answer brought for the draft; a list may hold items that are the event's, so it is copied again. */
  #redraft(name: string, given: unknown): void {
    this.#drafts ??= {};
    if (Array.isArray(given)) delete this.#drafts[name];
    else {
      this.#drafts[name] = given;
      this.#unseen.add(name);
    }
  }

  /** Takes everything out of the hands of those who have it: what they do to it from here on changes nothing. */
  detach(): void {
    if (this.#drafts === undefined) return;
    for (const name of Object.keys(this.#drafts)) this.#drafts[name] = this.#copied(name);
  }

  /** A draft's copy, or a new draft where it cannot be copied. */
  #copied(name: string): unknown {
    try {
      return cloneShell((this.#drafts as Mutable)[name]);
    } catch {
      return cloneShell(this.#base[name]);
    }
  }

  /** The field's value before the last `feed`. */
  before(name: string): unknown {
    return this.#before?.[name];
  }
}

const NONE: readonly string[] = [];

/** The event as the observers of a station are handed it. */
export function observedBy({ lane, row }: Station, event: Fields): Fields {
  if (!lane.isolate) return event;
  return row.view.fresh === true ? privateParts(event) : privateEvent(event);
}

/** A copy of an event that a handler may do with as it likes, with the feeder's drafts in it. */
function privateEvent(event: Fields, feeder?: Feeder): Fields {
  return privateParts({ ...event }, feeder);
}

/** The same for an event that was made for this one occasion: only what is in it is copied. */
function privateParts(event: Fields, feeder?: Feeder): Fields {
  for (const name in event) {
    const value = event[name];
    if (typeof value === "object" && value !== null)
      setField(event as Mutable, name, feeder?.draft(name) ?? cloneShell(value));
  }
  return event;
}
