import type { Fields } from "@hookline/ground";
import type { Station } from "../hook/lane.ts";
import { cloneShell, isPlain, setField } from "../lens/clone.ts";
import { adopt, equal, reconcile } from "../lens/equal.ts";

type Mutable = Record<string, unknown>;

/** The lane's private copy of one field, which its handlers may edit in place. */
interface Draft {
  readonly name: string;
  readonly value: unknown;
}

/**
 * A field of the event that holds an object. Handlers get the lane's draft of it, or a copy each if it has no draft.
 */
interface Part {
  readonly name: string;
  readonly draft: Draft | undefined;
}

/**
 * The event as one lane's handlers see it. It has earlier answers if the row chains them, the lane's drafts if fields
 * may be edited in place, and private copies if the lane is isolated.
 */
export class LaneEvent {
  private readonly station: Station;
  /** Whether in-place edits are detected after each handler instead of once per lane. */
  private readonly isExact: boolean;
  /** The event so far; never passed to handlers if the lane is isolated, so that none can have changed it. */
  private event: Fields;
  /** The event before the last answer. */
  private previous: Fields;
  /** The drafts. A new value in the event's field does not reach the draft, which is a separate object. */
  private drafts: Draft[] = [];
  /** The fields that every copy of the event replaces; computed again when the event or a draft has changed. */
  private parts: readonly Part[] | undefined;
  /** The copy for observers, which share one because they answer nothing. */
  private observed: Fields | undefined;

  constructor(station: Station, event: Fields, isExact: boolean) {
    this.station = station;
    this.isExact = isExact;
    this.event = event;
    this.previous = event;
  }

  /** The event so far. In an isolated lane no handler can have changed it. */
  get now(): Fields {
    return this.event;
  }

  /** Returns the event for the next handler. */
  hand(): unknown {
    const { lane, row } = this.station;
    if (!lane.isolate) return this.event;
    if (row.kind === "observe" || row.kind === "shutdown") return (this.observed ??= this.copy());
    return this.copy();
  }

  /** Returns the event for a matcher, which only reads it. */
  peek(): unknown {
    return this.drafts.length === 0 ? this.event : this.hand();
  }

  /** Whether a field is `shared` in the row's `feeds`; then folded answers override in-place edits. */
  get isShared(): boolean {
    const { feeds } = this.station.row;
    for (const name in feeds) if (feeds[name] === "shared") return true;
    return false;
  }

  /** Returns the in-place edits since the last call. Throws for values that cannot be copied. */
  edits(when: "after each" | "at the end"): Fields | undefined {
    const drafts = this.drafts;
    if (drafts.length === 0 || this.isExact !== (when === "after each")) return undefined;
    let edits: Mutable | undefined;
    try {
      for (const { name, value } of drafts) {
        const now = reconcile(value, this.event[name]);
        if (now !== this.event[name]) (edits ??= {})[name] = now;
      }
    } catch (thrown) {
      // A draft cannot be copied, so all are dropped; the next handler gets new ones, made from the event.
      this.forget();
      throw thrown;
    }
    return edits;
  }

  /** Returns the problem, and drops the drafts, if one of the row's `inPlace` checks refuses an edit of a draft. */
  refused(): string | undefined {
    const { inPlace } = this.station.row;
    if (inPlace === undefined) return undefined;
    for (const { name, value } of this.drafts) {
      const problem = inPlace[name]?.(value);
      if (problem === undefined) continue;
      this.forget();
      return problem;
    }
    return undefined;
  }

  /**
   * Copies an answer, so that its hook can no longer change it, and reuses parts of the event that are unchanged.
   * `isPrivate` says that the answer is already a copy. Throws for values that cannot be copied.
   */
  own(answer: Fields, isPrivate: boolean): Fields {
    const { lane, row } = this.station;
    if (!lane.isolate || !isPlain(answer)) return answer;
    const own: Mutable = isPrivate ? (answer as Mutable) : { ...answer };
    for (const name in own) {
      const value = own[name];
      if (typeof value !== "object" || value === null || !Object.hasOwn(own, name)) continue;
      const isFed = Object.hasOwn(row.feeds, name);
      if (!isPrivate) setField(own, name, isFed ? reconcile(value, this.event[name]) : cloneShell(value));
      else if (isFed) own[name] = adopt(value, this.event[name]);
    }
    return own;
  }

  /**
   * Applies an answer to the event that later handlers get; returns the names of the changed fields. `said` includes
   * in-place edits, `answered` only what the hook returned. `isInPlace`: all of `said` was edited in place.
   */
  feed(said: Fields, answered: Fields | undefined, isInPlace = false): readonly string[] {
    const { lane, row } = this.station;
    let changed: string[] | undefined;
    let next: Mutable | undefined;
    for (const name in row.feeds) {
      const value = said[name];
      const feed = row.feeds[name];
      if (value === undefined) continue;
      // Drop the lane's draft, so that the next handler gets a new one, made from this answer.
      if (feed === "draft" && answered?.[name] !== undefined) this.drop(name);
      const before = this.event[name];
      if (value === before) continue;
      // An equal value is no change. It still replaces the field, because a handler that gets no copy may edit it in
      // place.
      if (lane.isolate || !equal(value, before)) (changed ??= []).push(name);
      if (feed === "original" || feed === "agreed" || (feed === "shared" && !isInPlace)) continue;
      next ??= { ...this.event };
      next[name] = value;
    }
    this.previous = this.event;
    if (next !== undefined) this.event = next;
    this.parts = undefined;
    return changed ?? NONE;
  }

  /** Returns a field's value before the last answer. */
  before(name: string): unknown {
    return this.previous[name];
  }

  /** Drops the drafts; the next handler gets new ones, copied from the event at that time. */
  forget(): void {
    this.drafts = [];
    this.parts = undefined;
  }

  /** Replaces all values that handlers hold, so that their later changes have no effect. */
  detach(): void {
    this.observed = undefined;
    const { drafts } = this;
    this.forget();
    for (const draft of drafts) {
      try {
        this.drafts.push({ ...draft, value: cloneShell(draft.value) });
      } catch {
        // A draft that cannot be copied is left out; the next handler gets a new one, made from the event.
      }
    }
  }

  private copy(): Fields {
    const copy: Mutable = { ...this.event };
    for (const { name, draft } of (this.parts ??= this.split()))
      setField(copy, name, draft === undefined ? cloneShell(copy[name]) : draft.value);
    return copy;
  }

  private split(): readonly Part[] {
    const parts: Part[] = [];
    for (const name in this.event) {
      const value = this.event[name];
      if (typeof value === "object" && value !== null && Object.hasOwn(this.event, name))
        parts.push({ name, draft: this.draft(name, value) });
    }
    return parts;
  }

  /** Returns the lane's draft of a field, if the field may be edited in place. */
  private draft(name: string, value: object): Draft | undefined {
    const feed = this.station.row.feeds[name];
    if (feed !== "draft" && feed !== "shared") return undefined;
    let draft = this.draftOf(name);
    if (draft === undefined) {
      draft = { name, value: cloneShell(value) };
      this.drafts.push(draft);
    }
    return draft;
  }

  private drop(name: string): void {
    const at = this.drafts.findIndex((draft) => draft.name === name);
    if (at >= 0) this.drafts.splice(at, 1);
  }

  private draftOf(name: string): Draft | undefined {
    for (const draft of this.drafts) if (draft.name === name) return draft;
    return undefined;
  }
}

const NONE: readonly string[] = [];
