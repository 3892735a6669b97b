import type { Shown } from "../catalog/row.ts";
import type { Hook } from "../hook/hook.ts";
import type { LaneRow, Station } from "../hook/lane.ts";
import { isPlain } from "../lens/clone.ts";
import { equal } from "../lens/equal.ts";
import { assertJson } from "../lens/has-json.ts";
import type { Settler } from "./acceptance.ts";
import { Feeder } from "./feeder.ts";

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

/** What the hooks of a station have said. */
interface Said {
  /** The fold's. */
  state: unknown;
  author: Hook | undefined;
  /** Edits in place that count beneath what the fold comes to. */
  under: Fields | undefined;
  /** What the recorded edits came to, by the dialect's name of the field. */
  readonly edits: Map<string, { readonly from: unknown; readonly to: unknown }>;
}

const SILENT: Taken = { answer: undefined, changed: [] };

/**
 * One station of which there is something to tell: what its hooks are handed, what they have said so far.
 * Its fields are declared for the same reason as an attempt's.
 */
export class Visit {
  declare readonly station: Station;
  declare private readonly event: Fields;
  declare private readonly exact: boolean;
  declare private ownFeeder: Feeder | undefined;
  /** Once somebody has answered. */
  declare private said: Said | undefined;

  constructor(station: Station, event: Fields, exact: boolean) {
    this.station = station;
    this.event = event;
    this.exact = exact;
    this.ownFeeder = undefined;
    this.said = undefined;
  }

  /** Whose answer settled the fold, else who answered last. */
  get author(): Hook | undefined {
    return this.said?.author;
  }

  get row(): LaneRow {
    return this.station.row;
  }

  /** What each handler is handed, made when it differs from one to the next. */
  get feeder(): Feeder {
    this.ownFeeder ??= new Feeder(this.row, this.event, this.station.lane.isolate, this.exact);
    return this.ownFeeder;
  }

  /** What those who answer were shown, where a copy was made of it. */
  get copied(): Shown | undefined {
    return this.ownFeeder;
  }

  /** Takes everything out of the hands of those who have it: what they do to it from here on changes nothing. */
  detach(): void {
    this.ownFeeder?.detach();
  }

  /**
   * Folds what a hook said, put right by `settler`. Throws, and folds nothing, for what cannot be read, copied or put
   * right.
   */
  take(hook: Hook, given: Fields | undefined, settler?: Settler): Taken {
    const { feeder } = this;
    const own = given === undefined ? undefined : feeder.own(given);
    const inPlace = feeder.collect();
    // Contents of results that a lane shares; never a call that is judged.
    if (inPlace !== undefined && feeder.shares) return this.takeShared(hook, inPlace, own);
    const said = merged(inPlace, own);
    if (said === undefined) return SILENT;
    // What a guard makes of a call is looked at where it is accepted.
    if (this.row.kind !== "guard") assertJson(said, (name, value) => this.isUnwritten(name, value));
    const answer = settler === undefined ? said : settler.settle(this.row, said);
    const { fold } = this.row;
    const before = this.said === undefined ? fold.empty : this.said.state;
    const state = fold.step(before, answer as never);
    // What was put right is nobody's object yet.
    if (answer !== said) feeder.forget();
    const changed = feeder.feed(answer, answer === said ? given : undefined);
    this.said ??= { state, author: undefined, under: undefined, edits: new Map() };
    if (!fold.settled(before)) this.said.author = hook;
    this.said.state = state;
    return { answer, changed };
  }

  /** A conversation is not stored, and too long to be written for each answer; a function does something for the host. */
  private isUnwritten(name: string, value: unknown): boolean {
    if (typeof value === "function") return true;
    const isList = Array.isArray(value) && Array.isArray(this.event[name]);
    return isList && this.row.kind !== "redactor" && this.row.feeds[name] === "draft";
  }

  /** Takes edits that count beneath the answers, then the answer of the hook that made them, if it gave one. */
  private takeShared(hook: Hook | undefined, inPlace: Fields, own: Fields | undefined): Taken {
    const { fold } = this.row;
    const changed = this.feeder.feed(inPlace, undefined, true);
    this.said ??= { state: fold.empty, author: undefined, under: undefined, edits: new Map() };
    const { state } = this.said;
    this.said.under = { ...this.said.under, ...inPlace };
    if (hook !== undefined && !fold.settled(state)) this.said.author = hook;
    if (own === undefined) return { answer: inPlace, changed };
    this.said.state = fold.step(state, own as never);
    return { answer: merged(inPlace, own), changed: [...new Set([...changed, ...this.feeder.feed(own, undefined)])] };
  }

  /** Whether there may be edits in place that nobody was named for. */
  get editsInPlace(): boolean {
    return this.ownFeeder?.edited ?? false;
  }

  /** Folds the edits in place that no hook was named for. Throws, and folds nothing, for what cannot be copied. */
  takeLate(): Taken {
    const answer = this.ownFeeder?.collectLate();
    if (answer === undefined) return SILENT;
    if (this.feeder.shares) return this.takeShared(undefined, answer, undefined);
    const { fold } = this.row;
    const state = fold.step(this.said === undefined ? fold.empty : this.said.state, answer as never);
    this.said ??= { state, author: undefined, under: undefined, edits: new Map() };
    this.said.state = state;
    return { answer, changed: this.feeder.feed(answer, undefined) };
  }

  /** Notes that an edit was recorded. */
  edited([field, from, to]: Change): void {
    const before = this.said?.edits.get(field);
    this.said?.edits.set(field, { from: before === undefined ? from : before.from, to });
  }

  /** The changes of the payload that no recorded edit stands for, by its name or else by its values. */
  unaccounted(changes: readonly Change[]): readonly Change[] {
    const left = new Map(this.said?.edits);
    const unnamed = changes.filter(([field]) => !left.delete(field));
    if (unnamed.length === 0 || left.size === 0) return unnamed;
    const result = this.result() as Fields | undefined;
    return unnamed.filter(([, from, to]) => {
      for (const [name, edit] of left) {
        // A later answer may have taken an edit back: it then stands for nothing, whatever its values are.
        const isTakenBack = result?.[name] !== undefined && !equal(result[name], edit.to);
        if (!isTakenBack && equal(edit.to, to) && equal(edit.from, from)) return !left.delete(name);
      }
      return true;
    });
  }

  /** Whether nobody has said anything that counts. */
  get silent(): boolean {
    return this.said === undefined || (this.said.under === undefined && this.said.state === this.row.fold.empty);
  }

  /** Whether no further answer of a series counts. */
  get settled(): boolean {
    const { schedule, fold } = this.row;
    return this.said !== undefined && schedule === "series" && fold.settled(this.said.state);
  }

  /** What they have said, all together. */
  result(): unknown {
    const result = this.row.fold.result(this.said?.state);
    return this.said?.under === undefined ? result : { ...this.said.under, ...(result as Fields | undefined) };
  }
}

/** Edits in place with the answer over them; an answer of a class keeps what its class gives it. */
function merged(inPlace: Fields | undefined, answer: Fields | undefined): Fields | undefined {
  if (inPlace === undefined || answer === undefined) return answer ?? inPlace;
  if (isPlain(answer)) return { ...inPlace, ...answer };
  return Object.assign(Object.create(Object.getPrototypeOf(answer) as object) as Fields, inPlace, answer);
}
