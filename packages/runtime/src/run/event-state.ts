import type { FailureTold, Fields } from "@hookline/ground";
import { keptIn, messageOf, previewOf, textLimit, withShortTexts } from "@hookline/ground";
import type { Failure, GuardRule } from "../catalog/row.ts";
import type { Hook } from "../hook/hook.ts";
import type { LaneRow, Plan, Station } from "../hook/lane.ts";
import { equal } from "../lens/equal.ts";
import { Acceptance, isUnacceptable } from "./acceptance.ts";
import { Account } from "./account.ts";
import type { Ask } from "./ask.ts";
import { attributed } from "./attributed.ts";
import type { Accept, DispatchContext } from "./context.ts";
import { failureDiagnostic, failureTold } from "./failure.ts";
import { type FieldChange, LaneRun, type Settling, SILENT, type Taken } from "./lane-run.ts";
import { NOBODY, type Outcome, type Status } from "./outcome.ts";

const NOTHING: unique symbol = Symbol("nothing");

/** Fields of an answer that only add text for the model, with the same names in every row; they survive an abort. */
const ADDED = ["additionalContext", "feedback", "remark"] as const;

/** The state of an event during its dispatch: its payload, the answers so far, and the effects of failures. */
export class EventState implements Settling {
  /** Whether no further hooks are asked. */
  isOver = false;
  payload: Fields;
  private readonly plan: Plan;
  private readonly context: DispatchContext;
  /** Whether hooks without an answer are processed too: they may have edited in place, or have to be asked again. */
  private readonly tellsAll: boolean;
  private readonly accept: Accept;
  private acceptance: Acceptance | undefined;
  /** The account of the hooks' part in the dispatch; `undefined` until there is something to record. */
  private told: Account | undefined;
  /**
   * Hooks to ask again if the call changes later, because they did not change it or their matcher did not match it.
   * `saw` is the event as they saw it.
   */
  private readonly judged: { readonly station: Station; saw: unknown; readonly hooks: Hook[] }[] = [];
  private state: unknown = NOTHING;
  private pass: 1 | 2 = 1;
  private stations: readonly Station[];
  private at = 0;

  constructor(plan: Plan, payload: Fields, context: DispatchContext, accept: Accept = asItIs) {
    this.payload = payload;
    this.plan = plan;
    this.context = context;
    this.tellsAll = context.trace || plan.row.guard !== undefined;
    this.accept = accept;
    this.stations = plan.stations;
  }

  /** Returns the next station to ask; after the last one, a station for each guard that must be asked again, alone. */
  next(): Station | undefined {
    if (this.isOver) return undefined;
    if (this.at === this.stations.length && this.pass === 1) {
      this.stations = this.again();
      this.pass = 2;
      this.at = 0;
    }
    return this.stations[this.at++];
  }

  /**
   * Starts the run of a station with the event as its hooks see it; `undefined` if the row does not apply to this
   * payload.
   */
  enter(station: Station, beganAt: number): LaneRun | undefined {
    const { row } = station;
    const payload = this.payload as never;
    if (row.when !== undefined && !row.when(payload, this.context.scene)) return undefined;
    return new LaneRun(station, this.pass, this.seen(row) as Fields, this.tellsAll, beganAt);
  }

  /** Records a hook whose matcher does not match this event, because it may match a changed one. */
  skip(lane: LaneRun, hook: Hook): void {
    hook.metrics.skipped += 1;
    this.judge(lane, hook);
    if (this.context.trace) this.account.run(hook, lane.station.lane.id, this.pass, "skipped");
  }

  /** Processes one hook's answer; returns the hook's status. */
  take(lane: LaneRun, ask: Ask): Status {
    const problem = lane.event.refused();
    if (problem !== undefined) ask.spoil({ cause: "bad", message: problem });
    if (ask.isSilent && !this.tellsAll) return "no-answer";
    const { hook, said } = ask;
    for (const { field, problem } of said?.odd ?? [])
      this.account.about("HOOK_ODD_ANSWER", hook, hook.event, { field, problem });
    const { answer, changed } = this.fold(lane, ask);
    if (changed.length === 0 && ask.failure === undefined) this.judge(lane, hook);
    const status = statusOf(ask, answer);
    if (status === "no-answer" && !this.context.trace) return status;
    this.account.run(hook, lane.station.lane.id, lane.pass, status, ask, answer);
    this.edited(lane, hook.id, { answer, changed }, said?.by);
    hook.metrics.edits += changed.length;
    return status;
  }

  /**
   * Prepares to ask again those hooks of a lane that disagree, one after the other. Returns false if none do, after a
   * refusal, and in the second pass.
   */
  agree(lane: LaneRun): boolean {
    if (!lane.mayDisagree || this.isOver || this.pass === 2) return false;
    const { guard } = this.plan.row;
    try {
      const edit = this.put(lane);
      if (edit !== undefined && guard?.refused(edit)) return false;
      return lane.agree();
    } catch {
      // The error is not reported here: when the station ends, `close` meets it again and reports it.
      return false;
    }
  }

  /** Ends a station: turns its answers into an edit, folds the edit by the catalog row, and updates the payload. */
  close(lane: LaneRun): void {
    if (!this.isOver) this.takeLate(lane);
    if (this.isOver || lane.isSilent) return;
    const { station, row } = lane;
    let edit: Fields | undefined;
    try {
      const result = lane.result();
      // The fold of the answers has no result, so the payload stays as it is.
      if (result === undefined) return;
      edit = this.put(lane, result);
      if (edit === undefined) return;
      if (this.plan.row.guard !== undefined) edit = this.accepting(this.plan.row.guard).edit(edit);
    } catch (thrown) {
      this.broke(station, { cause: "bad", message: messageOf(thrown), error: thrown });
      return;
    }
    if (this.pass === 2) {
      this.second(station, edit);
      return;
    }
    this.account.said.push({ lane: station.lane.id, answer: edit });
    this.apply(edit, lane);
    if (row.isolated) for (const one of this.judged) if (one.station === station) one.saw = this.seen(row);
    if (this.plan.row.guard?.refused(edit) && lane.author !== undefined) lane.author.metrics.blocked += 1;
  }

  /**
   * Ends the event because the dispatch was aborted in a lane: a guard refuses, and content that a hook might still
   * have redacted is withheld. Of the lane's answers, only the texts in `ADDED` are kept.
   */
  abort(lane: LaneRun): void {
    if (this.isOver) return;
    this.keepAdded(lane);
    const { guard } = this.plan.row;
    if (guard !== undefined) this.apply(guard.refuse("aborted"), undefined);
    for (const { row, hooks } of this.plan.stations) for (const hook of hooks) this.withhold(row, hook);
    this.isOver = true;
  }

  private keepAdded(lane: LaneRun): void {
    if (lane.isSilent) return;
    try {
      const edit = this.put(lane);
      for (const name of ADDED) if (edit?.[name] !== undefined) this.apply({ [name]: edit[name] }, undefined);
    } catch {
      // This answer cannot be applied, so its texts are lost. The dispatch was aborted anyway, so nothing is reported.
    }
  }

  /** Fails a station whose hooks could not be asked, or whose answers could not be applied. */
  broke(station: Station, failure: Failure): void {
    const hook = station.hooks[0] as Hook;
    this.account.report(failureDiagnostic(failure, hook, { timeoutMs: 0, budgetMs: 0 }));
    this.refuse(`${station.lane.id} could not be asked: ${failure.message}`, hook);
    for (const one of station.hooks) this.withhold(station.row, one);
  }

  notice({ station }: LaneRun, hook: Hook, text: string): void {
    const isLong = text.length > textLimit(station.lane.texts);
    this.account.notices.push({ hook: hook.id, text: isLong ? this.cut(hook, "a notice", text) : text });
  }

  /**
   * Shortens a hook's text that is too long: keeps all of it in a file, tells the person, and returns the shortened
   * text.
   */
  private cut(hook: Hook, field: string, text: string): string {
    const path = this.context.keep?.(text);
    this.account.about("TEXT_CUT", hook, hook.event, { field, length: text.length, where: keptIn(path) });
    return previewOf(text, path);
  }

  private short({ station }: LaneRun, hook: Hook, answer: Fields | undefined): Fields | undefined {
    return answer && withShortTexts(answer, station.lane.texts, (field, text) => this.cut(hook, field, text));
  }

  outcome(ms: number): Outcome {
    const { trace, hashCall } = this.context;
    if (this.told === undefined && this.state === NOTHING && !trace) return ms === 0 ? NOBODY : { ...NOBODY, ms };
    if (trace) this.account.notReached(this.plan);
    const folded = this.state === NOTHING ? undefined : this.plan.row.fold.result(this.state);
    const answer = (folded ?? NOBODY.answer) as Fields;
    const outcome = this.attributed(this.account.outcome(answer, ms));
    const call = trace && this.plan.row.guard !== undefined ? hashCall?.(this.payload) : undefined;
    return call === undefined ? outcome : { ...outcome, call };
  }

  private attributed(outcome: Outcome): Outcome {
    const { attribute } = this.plan.row;
    if (attribute === undefined || outcome.answer[attribute.field] !== attribute.value) return outcome;
    const event = { payload: this.payload, scene: this.context.scene };
    const found = attributed(attribute, this.plan, outcome.hooks, event);
    if (attribute.value === "ask")
      for (const hook of this.plan.stations.flatMap(({ hooks }) => hooks))
        if (found.byHooks.includes(hook.id)) hook.metrics.asks += 1;
    return { ...outcome, ...found };
  }

  private get account(): Account {
    return (this.told ??= new Account((diagnostic) => this.context.report(diagnostic)));
  }

  /** Converts a lane's result to an edit of the payload. */
  private put(lane: LaneRun, result = lane.result()): Fields | undefined {
    return lane.row.view.put(result as never, this.payload as never, this.context.scene) as Fields | undefined;
  }

  /** Returns the event as a row's hooks see it now. */
  private seen(row: LaneRow): unknown {
    return row.view.get(this.payload as never, this.context.scene);
  }

  /** Returns stations for hooks that judged a call other than the final one, each to be asked again alone (law 3). */
  private again(): readonly Station[] {
    // Comparing payloads is not enough: edits that undo each other leave the payload as it was, yet a hook saw one of
    // them.
    if (this.told?.edited !== true) return [];
    const { payload } = this;
    const { scene } = this.context;
    try {
      return this.judged.flatMap(({ station, saw, hooks }) => {
        const { row } = station;
        if (row.when !== undefined && !row.when(payload as never, scene)) return [];
        return equal(this.seen(row), saw) ? [] : hooks.map((hook) => ({ ...station, hooks: [hook] }));
      });
    } catch (thrown) {
      this.broke(this.plan.stations[0] as Station, { cause: "bad", message: messageOf(thrown), error: thrown });
      return [];
    }
  }

  /** Records in-place edits of a station that could not be attributed to one of its handlers. */
  private takeLate(lane: LaneRun): void {
    const { station, row } = lane;
    try {
      const problem = lane.event.refused();
      if (problem !== undefined) throw new Error(problem);
      const { answer, changed } = lane.takeLate();
      this.edited(lane, station.lane.id, { answer, changed });
    } catch (thrown) {
      const failure = { cause: "bad", message: messageOf(thrown), error: thrown } as const;
      this.broke(station, failure);
      const hook = station.hooks[0] as Hook;
      if (!this.isOver) lane.take(hook, row.failed(failure, hook) as Fields | undefined, false);
    }
  }

  private accepting(guard: GuardRule): Acceptance {
    return (this.acceptance ??= new Acceptance(guard, this.accept, this.context.scene));
  }

  /** Corrects a changed call in a hook's answer so that the call can run; throws if that is impossible. */
  settle(answer: Fields, row: LaneRow): Fields {
    const { guard } = this.plan.row;
    return guard === undefined ? answer : this.accepting(guard).answer(row, answer, this.payload);
  }

  /** Folds a hook's answer; an answer that cannot be read or copied is a failure. */
  private fold(lane: LaneRun, ask: Ask): Taken {
    const { hook, failure, said } = ask;
    try {
      const given = failure === undefined ? (said?.answer as Fields | undefined) : this.failed(lane, ask, failure);
      const isPrivate = failure === undefined && said?.isPrivate === true;
      if (!this.isOver && failure?.cause !== "aborted")
        return lane.take(hook, this.short(lane, hook, given), isPrivate, this);
    } catch (thrown) {
      const spoilt = isUnacceptable(thrown)
        ? thrown.failure
        : ({ cause: "bad", message: messageOf(thrown), error: thrown } as const);
      ask.spoil(spoilt);
      const given = this.failed(lane, ask, spoilt);
      if (!this.isOver) return lane.take(hook, this.short(lane, hook, given), false);
    }
    return SILENT;
  }

  /**
   * Reports a failure and returns the answer that the row gives for it, such as a refusal. A failure with the cause
   * `engine` refuses every guarded event.
   */
  private failed(
    lane: LaneRun,
    { hook, timeoutMs, stderr: written, isForeign }: Ask,
    failure: Failure,
  ): Fields | undefined {
    if (failure.cause === "aborted") return undefined;
    const { row } = lane;
    const { guard, name } = this.plan.row;
    const stderr = isForeign ? "" : written;
    const tell = (effect?: FailureTold["effect"]): void => {
      const diagnostic = failureDiagnostic(failure, hook, { timeoutMs, budgetMs: row.budgetMs ?? 0 });
      const value = failureTold(failure, { moment: name, effect, stderr, said: row.said });
      this.account.report(Object.defineProperty(diagnostic, "failure", { value }));
    };
    if (guard !== undefined && failure.rewrite) {
      tell("was refused");
      this.refuse(this.account.about("REWRITE_REFUSED", hook, name, { problem: failure.message }), hook);
      return undefined;
    }
    const closes = failure.cause === "engine" || lane.pass === 2 || (hook.failClosed && row.kind === "guard");
    if (guard !== undefined && closes) {
      tell("was refused");
      this.refuse(this.account.about("FAILED_CLOSED", hook, name, { problem: failure.message }), hook);
      return undefined;
    }
    // The hook was asked again because hooks disagreed: its first edit was dropped, and it failed to make a new one.
    const isLost = lane.pass === 2 && guard === undefined;
    if (this.withholds(row, hook, isLost)) {
      tell("was withheld");
      this.withhold(row, hook, isLost);
      return undefined;
    }
    const answer = row.failed(failure, hook) as Fields | undefined;
    if (answer !== undefined) tell(guard?.refused(answer) === true ? "was refused" : undefined);
    else if (row.kind === "observe" || row.kind === "shutdown") tell();
    else {
      tell("went on");
      hook.metrics.failedOpen += 1;
      this.account.about("FAILED_OPEN", hook, row.name);
    }
    return answer;
  }

  private apply(edit: Fields, lane: LaneRun | undefined): void {
    const { row } = this.plan;
    this.state = row.fold.step(this.state === NOTHING ? row.fold.empty : this.state, edit as never);
    const { payload } = this;
    const changes: FieldChange[] = [];
    for (const field of Object.keys(row.feeds)) {
      const to = edit[field];
      if (row.feeds[field] !== "original" && to !== undefined && to !== payload[field])
        changes.push([field, payload[field], to]);
    }
    if (changes.length > 0)
      this.payload = { ...payload, ...Object.fromEntries(changes.map(([name, , to]) => [name, to])) };
    if (lane !== undefined)
      for (const change of lane.unaccounted(changes)) this.wrote(lane, lane.author?.id ?? lane.station.lane.id, change);
    if (row.schedule === "series" && row.fold.settled(this.state)) this.isOver = true;
  }

  /** Applies the answer of a guard that was asked again. Silence accepts the call; changing the call refuses it. */
  private second(station: Station, edit: Fields): void {
    const { guard, name } = this.plan.row;
    const hook = station.hooks[0] as Hook;
    if (guard === undefined) return;
    if (guard.refused(edit)) {
      hook.metrics.blocked += 1;
      this.apply(edit, undefined);
    } else if (edit[guard.judges] !== undefined && !equal(edit[guard.judges], this.payload[guard.judges])) {
      this.refuse(this.account.about("RECHECK_REFUSED", hook, name), hook);
    } else {
      // Only the decision counts, such as `ask`; everything else was already applied in the first pass.
      const decision: Record<string, unknown> = {};
      for (const field of Object.keys(guard.refuse(""))) if (field in edit) decision[field] = edit[field];
      this.apply(decision, undefined);
    }
  }

  private refuse(reason: string, hook: Hook): void {
    const { guard } = this.plan.row;
    if (guard === undefined) return;
    hook.metrics.blocked += 1;
    this.apply(guard.refuse(reason), undefined);
    this.isOver = true;
  }

  /** Withholds content that a hook should have redacted, if the hook or the row demands it; then asks no more hooks. */
  private withhold(row: LaneRow, hook: Hook, isLost = false): void {
    const { withhold, name } = this.plan.row;
    if (withhold === undefined || !this.withholds(row, hook, isLost)) return;
    hook.metrics.blocked += 1;
    // The text leaves out the hook's own error message, which may quote the content that is withheld.
    this.apply(withhold(this.payload, this.account.about("WITHHELD", hook, name)), undefined);
    this.isOver = true;
  }

  private withholds({ kind }: LaneRow, hook: Hook, isLost = false): boolean {
    const { withhold, closed } = this.plan.row;
    if (!(hook.failClosed || isLost || closed) || !withhold || this.isOver) return false;
    return kind !== "observe" && kind !== "shutdown";
  }

  private judge(lane: LaneRun, hook: Hook): void {
    if (this.pass === 2 || this.plan.row.guard === undefined) return;
    const { station, event } = lane;
    const last = this.judged.at(-1);
    if (last?.station === station && last.saw === event.now) last.hooks.push(hook);
    else this.judged.push({ station, saw: event.now, hooks: [hook] });
  }

  private edited(lane: LaneRun, who: string, { answer, changed }: Taken, by?: Readonly<Record<string, string>>): void {
    for (const field of changed) {
      const change: FieldChange = [field, lane.event.before(field), answer?.[field]];
      this.wrote(lane, by?.[field] ?? who, change);
      lane.edited(change);
    }
  }

  private wrote({ station }: LaneRun, hook: string, [field, from, to]: FieldChange): void {
    this.account.edit({ hook, lane: station.lane.id, field, from, to, pass: this.pass });
  }
}

const asItIs: Accept = (judged) => judged;

function statusOf({ failure }: Ask, answer: Fields | undefined): Status {
  if (failure !== undefined) return failure.cause === "timeout" ? "timed-out" : "failed";
  return answer === undefined ? "no-answer" : "answered";
}
