import type { Fields } from "@hookline/ground";
import type { Hook } from "../hook/hook.ts";
import type { LaneRow, Station } from "../hook/lane.ts";
import { isPlain } from "../lens/clone.ts";
import { equal } from "../lens/equal.ts";
import { assertJson } from "../lens/has-json.ts";
import { LaneEvent } from "./lane-event.ts";

/** A field, its old value and its new value. */
export type FieldChange = readonly [field: string, from: unknown, to: unknown];

/** The effect of one hook's answer. */
export interface Taken {
  /** The answer merged with the in-place edits, as it was folded; `undefined` if there was neither. */
  readonly answer: Fields | undefined;
  /** The names of the fields that the answer changed. */
  readonly changed: readonly string[];
}

/** Corrects a changed call in a hook's answer before the answer is folded. Throws if the call cannot run. */
export interface Settling {
  settle(answer: Fields, row: LaneRow): Fields;
}

/** The result of a hook that answered and changed nothing. */
export const SILENT: Taken = { answer: undefined, changed: [] };

/** The run of a station: which hook is next, what the hooks are shown, and what they have answered so far. */
export class LaneRun {
  station: Station;
  /** 2 if a guard is asked once more about the final call, or if hooks that disagree are asked once more. */
  pass: 1 | 2;
  row: LaneRow;
  event: LaneEvent;
  /** The hook whose answer settled the fold, otherwise the one that answered last. */
  author: Hook | undefined;
  private readonly original: Fields;
  private readonly beganAt: number;
  private at = 0;
  private last: Hook | undefined;
  private state: unknown;
  /** In-place edits that the folded answers override. */
  private under: Fields | undefined;
  /** Each hook's answer, if hooks may disagree about a field. */
  private said: { readonly hook: Hook; readonly answer: Fields }[] | undefined;
  /** The edits that were attributed to hooks so far, under the dialect's names of the fields. */
  private edits: FieldChange[] | undefined;

  constructor(station: Station, pass: 1 | 2, event: Fields, isExact: boolean, beganAt: number) {
    this.station = station;
    this.pass = pass;
    this.row = station.row;
    this.event = new LaneEvent(station, event, isExact);
    this.original = event;
    this.beganAt = beganAt;
    this.state = station.row.fold.empty;
  }

  /** Returns the next hook; `undefined` after the last one, or when the fold of a series is settled. */
  next(): Hook | undefined {
    const { lane, hooks } = this.station;
    // A live lane's list may have grown meanwhile, at any position: continue after the hook that was asked last.
    if (lane.live && this.at > 0 && hooks[this.at - 1] !== this.last) this.at = hooks.indexOf(this.last as Hook) + 1;
    if (this.row.schedule === "series" && this.row.fold.settled(this.state)) return undefined;
    const hook = hooks[this.at];
    if (hook === undefined) return undefined;
    this.at += 1;
    this.last = hook;
    return hook;
  }

  /** Returns whether the lane's time budget was used up at time `now`. */
  isLate(now: number): boolean {
    return this.row.budgetMs !== undefined && now - this.beganAt > this.row.budgetMs;
  }

  /**
   * Keeps the first hook's edit of each `agreed` field that hooks changed differently. The other hooks are asked again,
   * one after the other. Returns false if no hooks disagree.
   */
  agree(): boolean {
    const { said = [], station, row, original } = this;
    const fields = agreedFields(row).filter((name) =>
      disagree(
        said.map(({ answer }) => answer[name]),
        original[name],
      ),
    );
    const [first, ...others] = said.filter(({ answer }) => fields.some((name) => answer[name] !== undefined));
    if (first === undefined || fields.length === 0) return false;
    this.state = row.fold.empty;
    for (const one of said) {
      const answer = others.includes(one) ? without(one.answer, fields) : one.answer;
      this.state = row.fold.step(this.state, answer as never);
    }
    const now = { ...original, ...only(first.answer, fields) };
    const feeds = { ...row.feeds, ...Object.fromEntries(fields.map((name) => [name, "chain" as const])) };
    this.row = { ...row, schedule: "all", feeds };
    this.station = { ...station, row: this.row, hooks: others.map(({ hook }) => hook) };
    this.event = new LaneEvent(this.station, now, true);
    this.pass = 2;
    this.at = 0;
    this.last = undefined;
    return true;
  }

  /** Whether several hooks have answered about a field on which they must agree. */
  get mayDisagree(): boolean {
    return this.said !== undefined && this.said.length > 1 && this.pass === 1;
  }

  /**
   * Folds a hook's answer, which `by` corrects. Throws, and folds nothing, if the answer cannot be read, copied or
   * corrected.
   */
  take(hook: Hook, given: Fields | undefined, isPrivate: boolean, by?: Settling): Taken {
    const { event, row } = this;
    const own = given === undefined ? undefined : event.own(given, isPrivate);
    const inPlace = event.edits("after each");
    // Only the content of tool results is `shared` in a row's `feeds`, never a call, so `by` has nothing to correct.
    if (inPlace !== undefined && event.isShared) return this.takeShared(hook, inPlace, own);
    const said = merged(inPlace, own);
    if (said === undefined) return SILENT;
    // A guard's change of a call is checked by `Acceptance` instead.
    if (row.kind !== "guard") assertJson(said, (name, value) => this.isUnwritten(name, value));
    const answer = by === undefined ? said : by.settle(said, row);
    this.step(hook, answer);
    if (answer === said) return { answer, changed: event.feed(answer, own) };
    // The answer was corrected, so the drafts, which have the uncorrected value, are dropped.
    event.forget();
    return { answer, changed: event.feed(answer, undefined) };
  }

  /**
   * Folds the in-place edits that belong to no single hook. Throws, and folds nothing, for values that cannot be
   * copied.
   */
  takeLate(): Taken {
    const answer = this.event.edits("at the end");
    if (answer === undefined) return SILENT;
    if (this.event.isShared) return this.takeShared(undefined, answer, undefined);
    this.step(undefined, answer);
    return { answer, changed: this.event.feed(answer, undefined) };
  }

  /** Keeps in-place edits, which folded answers override, and folds the answer of the hook that made them, if any. */
  private takeShared(hook: Hook | undefined, inPlace: Fields, own: Fields | undefined): Taken {
    const changed = this.event.feed(inPlace, undefined, true);
    this.under = { ...this.under, ...inPlace };
    if (own !== undefined) this.step(hook, own);
    else this.wrote(hook);
    if (own === undefined) return { answer: inPlace, changed };
    return { answer: merged(inPlace, own), changed: [...new Set([...changed, ...this.event.feed(own, undefined)])] };
  }

  private step(hook: Hook | undefined, answer: Fields): void {
    const state = this.row.fold.step(this.state, this.news(hook, answer) as never);
    this.wrote(hook);
    this.state = state;
  }

  /**
   * Returns the new part of an answer: all of it, or for a hook that is asked again without the fields that it answered
   * before.
   */
  private news(hook: Hook | undefined, answer: Fields): Fields {
    if (hook === undefined || (this.said === undefined && agreedFields(this.row).length === 0)) return answer;
    if (this.pass === 1) {
      this.said = [...(this.said ?? []), { hook, answer }];
      return answer;
    }
    const before = this.said?.find((one) => one.hook === hook)?.answer;
    return without(
      answer,
      Object.keys(answer).filter((name) => this.row.feeds[name] !== "chain" && equal(answer[name], before?.[name])),
    );
  }

  private wrote(hook: Hook | undefined): void {
    if (hook !== undefined && !this.row.fold.settled(this.state)) this.author = hook;
  }

  /**
   * Returns whether a value need not be JSON: a function, with which a hook acts on the host, or a conversation, which
   * is not stored and is too long to serialize for each answer.
   */
  private isUnwritten(name: string, value: unknown): boolean {
    if (typeof value === "function") return true;
    const isList = Array.isArray(value) && Array.isArray(this.original[name]);
    return isList && this.row.kind !== "redactor" && this.row.feeds[name] === "draft";
  }

  /** Whether no answer has had any effect. */
  get isSilent(): boolean {
    return this.under === undefined && this.state === this.row.fold.empty;
  }

  /** The combined answers of the hooks. */
  result(): unknown {
    const result = this.row.fold.result(this.state);
    return this.under === undefined ? result : { ...this.under, ...(result as Fields | undefined) };
  }

  edited(change: FieldChange): void {
    (this.edits ??= []).push(change);
  }

  /** Returns the changes that belong to no edit in `edits`, by their field or by their old and new value. */
  unaccounted(changes: readonly FieldChange[]): readonly FieldChange[] {
    const left = new Map<string, { readonly from: unknown; readonly to: unknown }>();
    for (const [field, from, to] of this.edits ?? NO_CHANGES) {
      const first = left.get(field);
      left.set(field, { from: first === undefined ? from : first.from, to });
    }
    const unnamed = changes.filter(([field]) => !left.delete(field));
    if (unnamed.length === 0 || left.size === 0) return unnamed;
    const result = this.result() as Fields | undefined;
    return unnamed.filter(([, from, to]) => {
      for (const [name, edit] of left) {
        // If a later answer has reverted this edit, it did not cause the change, even if the values are equal.
        const isTakenBack = result?.[name] !== undefined && !equal(result[name], edit.to);
        if (!isTakenBack && equal(edit.to, to) && equal(edit.from, from)) return !left.delete(name);
      }
      return true;
    });
  }
}

/** Merges in-place edits with the answer, which wins; an answer that is a class instance keeps its prototype. */
function merged(inPlace: Fields | undefined, answer: Fields | undefined): Fields | undefined {
  if (inPlace === undefined || answer === undefined) return answer ?? inPlace;
  if (isPlain(answer)) return { ...inPlace, ...answer };
  return Object.assign(Object.create(Object.getPrototypeOf(answer) as object) as Fields, inPlace, answer);
}

/** Returns the `agreed` fields of a row. Hooks that change one of them differently are asked again. */
function agreedFields({ feeds }: LaneRow): readonly string[] {
  let names: string[] | undefined;
  for (const name in feeds) if (feeds[name] === "agreed") (names ??= []).push(name);
  return names ?? NO_FIELDS;
}

const NO_FIELDS: readonly string[] = [];
const NO_CHANGES: readonly FieldChange[] = [];

/** Returns whether two hooks have changed a value in different ways. */
function disagree(values: readonly unknown[], original: unknown): boolean {
  const edits = values.filter((value) => value !== undefined && !equal(value, original));
  return edits.some((value) => !equal(value, edits[0]));
}

function without(answer: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(answer).filter(([name]) => !names.includes(name)));
}

function only(answer: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(answer).filter(([name]) => names.includes(name)));
}
