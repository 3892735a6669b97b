import type { Hook } from "../hook/hook.ts";
import type { LaneRow, Station } from "../hook/lane.ts";
import { equal } from "../lens/equal.ts";
import { Feeder, privateEvent } from "./feeder.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A field, what it was, and what it is. */
export type Change = readonly [field: string, from: unknown, to: unknown];

/** What one hook's answer came to. */
export interface Taken {
  /** The answer with the edits in place, as it was folded. */
  readonly answer: Fields | undefined;
  /** The fields that it changed. */
  readonly changed: readonly string[];
}

const SILENT: Taken = { answer: undefined, changed: [] };
const NOTHING: unique symbol = Symbol("nothing");

/**
 * One station that is being worked through: who is next, what they are handed, what they have said so far.
 * Its fields are declared for the same reason as an attempt's.
 */
export class Visit {
  declare readonly station: Station;
  declare readonly row: LaneRow;
  /** Whose answer settled the fold, else who answered last. */
  declare author: Hook | undefined;
  declare private readonly event: Fields;
  declare private readonly exact: boolean;
  declare private readonly hooks: readonly Hook[];
  declare private count: number;
  declare private at: number;
  /** What observers are handed: they answer nothing, so they all get the same. */
  declare private shown: unknown;
  declare private ownFeeder: Feeder | undefined;
  /** What the recorded edits came to, by the dialect's name of the field. */
  declare private edits: Map<string, { readonly from: unknown; readonly to: unknown }> | undefined;
  /** The fold's state, once somebody has answered. */
  declare private state: unknown;

  constructor(station: Station, event: Fields, exact: boolean) {
    this.station = station;
    this.row = station.row;
    this.author = undefined;
    this.edits = undefined;
    this.event = event;
    this.exact = exact;
    this.hooks = station.hooks;
    this.count = station.hooks.length;
    this.at = 0;
    this.shown = undefined;
    this.ownFeeder = undefined;
    this.state = NOTHING;
  }

  /** What each handler is handed, made when it differs from one to the next. */
  get feeder(): Feeder {
    this.ownFeeder ??= new Feeder(this.row, this.event, this.station.lane.isolate, this.exact);
    return this.ownFeeder;
  }

  /** The next hook to ask; nothing when all were asked, or when the fold of a series is settled. */
  next(): Hook | undefined {
    if (this.at >= this.count) {
      if (!this.station.lane.live || this.hooks.length === this.count) return undefined;
      this.count = this.hooks.length;
    }
    if (this.state !== NOTHING && this.row.schedule === "series" && this.row.fold.settled(this.state)) return undefined;
    return this.hooks[this.at++];
  }

  /** Whether more hooks are known to follow. */
  get hasNext(): boolean {
    return this.at < this.count;
  }

  /** The event for the next handler. */
  hand(): unknown {
    if (this.shown !== undefined) return this.shown;
    const { kind } = this.row;
    if (kind !== "observe" && kind !== "shutdown") return this.feeder.hand();
    this.shown = this.station.lane.isolate ? privateEvent(this.event) : this.event;
    return this.shown;
  }

  /** Takes everything out of the hands of those who have it: what they do to it from here on changes nothing. */
  detach(): void {
    this.shown = undefined;
    this.ownFeeder?.detach();
  }

  /** Folds what a hook said. Throws, and folds nothing, for what cannot be read or copied. */
  take(hook: Hook, given: Fields | undefined): Taken {
    const { feeder } = this;
    const own = given === undefined ? undefined : feeder.own(given);
    const answer = merged(feeder.collect(), own);
    if (answer === undefined) return SILENT;
    const { fold } = this.row;
    const before = this.state === NOTHING ? fold.empty : this.state;
    const state = fold.step(before, answer as never);
    const changed = feeder.feed(answer, given);
    if (!fold.settled(before)) this.author = hook;
    this.state = state;
    return { answer, changed };
  }

  /** Whether there may be edits in place that nobody was named for. */
  get editsInPlace(): boolean {
    return this.ownFeeder?.edited ?? false;
  }

  /** Folds the edits in place that no hook was named for. Throws, and folds nothing, for what cannot be copied. */
  takeLate(): Taken {
    const answer = this.ownFeeder?.collectLate();
    if (answer === undefined) return SILENT;
    const { fold } = this.row;
    this.state = fold.step(this.state === NOTHING ? fold.empty : this.state, answer as never);
    return { answer, changed: this.feeder.feed(answer, undefined) };
  }

  /** Notes that an edit was recorded. */
  edited([field, from, to]: Change): void {
    this.edits ??= new Map();
    const before = this.edits.get(field);
    this.edits.set(field, { from: before === undefined ? from : before.from, to });
  }

  /** The changes of the payload that no recorded edit stands for, by its name or else by its values. */
  unaccounted(changes: readonly Change[]): readonly Change[] {
    const left = new Map(this.edits);
    return changes
      .filter(([field]) => !left.delete(field))
      .filter(([, from, to]) => {
        for (const [name, edit] of left) if (equal(edit.to, to) && equal(edit.from, from)) return !left.delete(name);
        return true;
      });
  }

  /** Whether nobody has said anything that counts. */
  get silent(): boolean {
    return this.state === NOTHING || this.state === this.row.fold.empty;
  }

  /** What they have said, all together. */
  result(): unknown {
    return this.row.fold.result(this.state);
  }
}

/** Edits in place with the answer over them; an answer of a class keeps what its class gives it. */
function merged(inPlace: Fields | undefined, answer: Fields | undefined): Fields | undefined {
  if (inPlace === undefined || answer === undefined) return answer ?? inPlace;
  const proto: unknown = Object.getPrototypeOf(answer);
  if (proto === Object.prototype || proto === null) return { ...inPlace, ...answer };
  return Object.assign(Object.create(proto as object) as Fields, inPlace, answer);
}
