import type { Shown } from "../catalog/row.ts";
import type { Station } from "../hook/lane.ts";
import { cloneAnswer, cloneShell, cloneSized, isPlain, type Sizes, setField } from "../lens/clone.ts";
import { adopt, cloneAnswerOver, equal, reconcile } from "../lens/equal.ts";

type Fields = Readonly<Record<string, unknown>>;
type Mutable = Record<string, unknown>;

/** The lane's private copy of one field, which its handlers may edit in place. */
interface Draft {
  readonly name: string;
  readonly value: unknown;
  /** Of the value that it was made from, while that is the event's. */
  sizes: Sizes | undefined;
}

/**
 * The event as one lane's handlers are shown it: with earlier answers where the row chains them, with the lane's drafts
 * where it may be edited in place, and as private copies where the lane is isolated.
 */
export class LaneEvent implements Shown {
  declare private readonly station: Station;
  /** Looks for edits in place after each handler instead of once per lane. */
  declare private readonly isExact: boolean;
  /** The event so far; never handed out where the lane is isolated, so nobody can have changed it. */
  declare private event: Fields;
  /** The event before what was said last. */
  declare private previous: Fields;
  /** Re-assigning the event's field leaves the draft as it is. */
  declare private drafts: readonly Draft[];
  /** What observers are shown: they answer nothing, so they all get the same copy. */
  declare private observed: Fields | undefined;

  constructor(station: Station, event: Fields, isExact: boolean) {
    this.station = station;
    this.isExact = isExact;
    this.event = event;
    this.previous = event;
    this.drafts = NO_DRAFTS;
    this.observed = undefined;
  }

  /** The event so far, which nobody can change. */
  get now(): Fields {
    return this.event;
  }

  /** The event for the next handler. */
  hand(): unknown {
    const { lane, row } = this.station;
    if (!lane.isolate) return this.event;
    if (row.kind === "observe" || row.kind === "shutdown") return (this.observed ??= this.copy());
    return this.copy();
  }

  /** The event for a matcher, which looks and changes nothing. */
  peek(): unknown {
    return this.drafts.length === 0 ? this.event : this.hand();
  }

  /** Whether edits in place count beneath the answers. */
  get isShared(): boolean {
    const { feeds } = this.station.row;
    for (const name in feeds) if (feeds[name] === "shared") return true;
    return false;
  }

  /** Edits in place since the last look. Throws for what cannot be copied. */
  edits(when: "after each" | "at the end"): Fields | undefined {
    const drafts = this.drafts;
    if (drafts.length === 0 || this.isExact !== (when === "after each")) return undefined;
    // Each draft is looked at once: one that cannot be copied is dropped.
    this.drafts = NO_DRAFTS;
    let edits: Mutable | undefined;
    for (const { name, value, sizes } of drafts) {
      const now = reconcile(value, this.event[name], sizes);
      if (now !== this.event[name]) (edits ??= {})[name] = now;
    }
    this.drafts = drafts;
    return edits;
  }

  settle(field: string, said: unknown): unknown {
    const shown = this.event[field];
    const sizes = this.draftOf(field)?.sizes;
    return sizes === undefined || !Array.isArray(shown) ? cloneAnswer(said) : cloneAnswerOver(said, shown, sizes);
  }

  /**
   * The answer out of its hook's reach, with the event's own parts where they are as they were. `isPrivate`: it was
   * read as a copy already. Throws for what cannot be copied.
   */
  own(answer: Fields, isPrivate: boolean): Fields {
    const { lane, row } = this.station;
    if (!lane.isolate || !isPlain(answer)) return answer;
    const own: Mutable = { ...answer };
    for (const name of Object.keys(own)) {
      const value = own[name];
      if (typeof value !== "object" || value === null) continue;
      const isFed = Object.hasOwn(row.feeds, name);
      if (isPrivate) own[name] = isFed ? adopt(value, this.event[name]) : value;
      else setField(own, name, isFed ? reconcile(value, this.event[name]) : cloneShell(value));
    }
    return own;
  }

  /**
   * Takes in what was said, so that chained fields reach the next handler; the names of those that it changed.
   * `answered` is the part of it that the hook has answered with, `isInPlace` says that all of it was edited in place.
   */
  feed(said: Fields, answered: Fields | undefined, isInPlace = false): readonly string[] {
    const { lane, row } = this.station;
    let changed: string[] | undefined;
    let next: Mutable | undefined;
    for (const name in row.feeds) {
      const value = said[name];
      const feed = row.feeds[name];
      if (value === undefined) continue;
      // The next handler's draft is made from the answer.
      if (feed === "draft" && answered?.[name] !== undefined)
        this.drafts = this.drafts.filter((draft) => draft.name !== name);
      const before = this.event[name];
      if (value === before) continue;
      // Where handlers are handed the event itself, the next one edits what was answered last, be it equal or not.
      if (lane.isolate || !equal(value, before)) (changed ??= []).push(name);
      if (feed === "original" || feed === "agreed" || (feed === "shared" && !isInPlace)) continue;
      next ??= { ...this.event };
      next[name] = value;
      const draft = this.draftOf(name);
      if (draft !== undefined) draft.sizes = undefined;
    }
    this.previous = this.event;
    if (next !== undefined) this.event = next;
    return changed ?? NONE;
  }

  /** A field's value before what was said last. */
  before(name: string): unknown {
    return this.previous[name];
  }

  /** Gives up the drafts: the next handler's are made from the event as it is by then. */
  forget(): void {
    this.drafts = NO_DRAFTS;
  }

  /** Takes everything out of the hands of those who have it: what they do to it from here on changes nothing. */
  detach(): void {
    this.observed = undefined;
    const drafts = this.drafts;
    this.drafts = NO_DRAFTS;
    for (const draft of drafts) {
      try {
        this.drafts = [...this.drafts, { ...draft, value: cloneShell(draft.value) }];
      } catch {
        // The next handler's is made from the event.
      }
    }
  }

  private copy(): Fields {
    const copy: Mutable = { ...this.event };
    for (const name in copy) {
      const value = copy[name];
      if (typeof value === "object" && value !== null) setField(copy, name, this.draft(name, value));
    }
    return copy;
  }

  /** The lane's draft of a field that may be edited in place, else a copy for this one handler. */
  private draft(name: string, value: object): unknown {
    const feed = this.station.row.feeds[name];
    if (feed !== "draft" && feed !== "shared") return cloneShell(value);
    const known = this.draftOf(name);
    if (known !== undefined) return known.value;
    const { copy, sizes } = cloneSized(value);
    this.drafts = [...this.drafts, { name, value: copy, sizes }];
    return copy;
  }

  private draftOf(name: string): Draft | undefined {
    for (const draft of this.drafts) if (draft.name === name) return draft;
    return undefined;
  }
}

const NONE: readonly string[] = [];
const NO_DRAFTS: readonly Draft[] = [];
