import type { Failure, GuardRule } from "../catalog/row.ts";
import type { FailureTold } from "../error/diagnostic.ts";
import { messageOf } from "../error/error.ts";
import type { Hook } from "../hook/hook.ts";
import type { LaneRow, Plan, Station } from "../hook/lane.ts";
import { equal } from "../lens/equal.ts";
import { Acceptance, isUnacceptable, type Settler } from "./acceptance.ts";
import { Account } from "./account.ts";
import type { Attempt } from "./attempt.ts";
import type { Accept, DispatchContext } from "./context.ts";
import { failureDiagnostic, failureTold } from "./failure.ts";
import { Judged } from "./judged.ts";
import { NOBODY, type Outcome, type Status } from "./outcome.ts";
import type { Change, Taken, Visit } from "./visit.ts";

type Fields = Readonly<Record<string, unknown>>;

const NOTHING: unique symbol = Symbol("nothing");
const NONE: readonly Station[] = [];

/**
 * Where an event stands: its payload so far, what was answered, and what a failure made of it.
 * Made when there is something to tell.
 */
export class Standing implements Settler {
  /** True when nobody further is asked. */
  over = false;
  payload: Fields;
  readonly #plan: Plan;
  readonly #context: DispatchContext;
  readonly #account: Account;
  readonly #accept: Accept | undefined;
  #acceptance: Acceptance | undefined = undefined;
  #state: unknown = NOTHING;
  #pass: 1 | 2 = 1;
  #judged: Judged | undefined = undefined;

  constructor(plan: Plan, payload: Fields, context: DispatchContext, accept?: Accept) {
    this.#plan = plan;
    this.#context = context;
    this.payload = payload;
    this.#accept = accept;
    this.#account = new Account((diagnostic) => context.report(diagnostic));
  }

  get pass(): 1 | 2 {
    return this.#pass;
  }

  /** A hook whose filter this event does not meet; another one may. */
  skip(visit: Visit, hook: Hook): void {
    this.#judge(visit, hook);
    if (this.#context.trace) this.#account.run(hook, visit.station.lane.id, this.#pass, "skipped");
  }

  /** Takes in what one hook said. */
  take(visit: Visit, attempt: Attempt): void {
    const { hook } = attempt;
    for (const { field, problem } of attempt.odd ?? [])
      this.#account.about("HOOK_ODD_ANSWER", hook, hook.event, { field, problem });
    const { answer, changed } = this.#fold(visit, attempt);
    if (answer !== undefined || attempt.failure !== undefined || this.#context.trace)
      this.#account.run(hook, visit.station.lane.id, this.#pass, statusOf(attempt, answer), attempt, answer);
    this.#edited(visit, hook.id, answer, changed);
    hook.metrics.edits += changed.length;
    if (changed.length === 0 && attempt.failure === undefined) this.#judge(visit, hook);
  }

  /** Takes in the edits in place that were looked for once for the whole station. */
  takeLate(visit: Visit): void {
    try {
      const { answer, changed } = visit.takeLate();
      this.#edited(visit, visit.station.lane.id, answer, changed);
    } catch (thrown) {
      this.broke(visit.station, { cause: "bad", message: messageOf(thrown), error: thrown });
    }
  }

  /** Closes a station in which something was said: it becomes an edit, the catalog row folds it, the payload moves on. */
  close(visit: Visit): void {
    if (this.over || visit.silent) return;
    const { station, row } = visit;
    let edit: Fields | undefined;
    try {
      const result = visit.result();
      // Answers of which none counts come to nothing.
      if (result === undefined) return;
      edit = row.view.put(result as never, this.payload as never, this.#context.scene) as Fields | undefined;
      if (edit === undefined) return;
      if (this.#plan.row.guard !== undefined) edit = this.#accepting(this.#plan.row.guard).edit(edit);
    } catch (thrown) {
      this.broke(station, { cause: "bad", message: messageOf(thrown), error: thrown });
      return;
    }
    if (this.#pass === 2) {
      this.#second(station, edit);
      return;
    }
    this.#account.said.push({ lane: station.lane.id, answer: edit });
    this.#apply(edit, visit);
    if (this.#plan.row.guard?.refused(edit) && visit.author !== undefined) visit.author.metrics.blocked += 1;
  }

  /** Law 3: those who judged another call than the final one are asked again, each alone; their stations. */
  recheck(): readonly Station[] {
    // Not whether the payload is another: edits that undo each other leave it as it was, and yet somebody saw one.
    if (this.#pass === 2 || this.#judged === undefined || !this.#account.edited) return NONE;
    this.#pass = 2;
    try {
      return this.#judged.again(this.payload, this.#context.scene);
    } catch (thrown) {
      this.broke(this.#plan.stations[0] as Station, { cause: "bad", message: messageOf(thrown), error: thrown });
      return NONE;
    }
  }

  /** The dispatch was aborted: a guard refuses, and what a hook may not have redacted is kept back. */
  abort(): void {
    const { guard } = this.#plan.row;
    if (guard !== undefined) this.#apply(guard.refuse("aborted"), undefined);
    for (const { row, hooks } of this.#plan.stations) for (const hook of hooks) this.#withhold(row, hook);
    this.over = true;
  }

  /** Nobody of a station could be asked, or what was said could not be applied. */
  broke(station: Station, failure: Failure): void {
    const hook = station.hooks[0] as Hook;
    this.#account.report(failureDiagnostic(failure, hook, { timeoutMs: 0, budgetMs: 0 }));
    this.#refuse(`${station.lane.id} could not be asked: ${failure.message}`, hook);
    for (const one of station.hooks) this.#withhold(station.row, one);
  }

  /** An answer of a guard's lane, as it may run. */
  settle(row: LaneRow, answer: Fields): Fields {
    const { guard } = this.#plan.row;
    return guard === undefined ? answer : this.#accepting(guard).answer(row, answer, this.payload);
  }

  notice(hook: Hook, text: string): void {
    this.#account.notices.push({ hook: hook.id, text });
  }

  outcome(ms: number): Outcome {
    if (this.#context.trace) this.#account.notReached(this.#plan);
    const folded = this.#state === NOTHING ? undefined : this.#plan.row.fold.result(this.#state);
    const outcome = this.#account.outcome((folded ?? NOBODY.answer) as Fields, ms);
    if (!this.#context.trace || this.#plan.row.guard === undefined) return outcome;
    const call = this.#context.hashCall?.(this.payload);
    return call === undefined ? outcome : { ...outcome, call };
  }

  // ---- inner

  #accepting(guard: GuardRule): Acceptance {
    return (this.#acceptance ??= new Acceptance(guard, this.#accept ?? asItIs, this.#context.scene));
  }

  /** Folds what a hook said; what cannot be read or copied is a failure of its own. */
  #fold(visit: Visit, attempt: Attempt): Taken {
    const { hook } = attempt;
    try {
      const given = attempt.failure === undefined ? attempt.answer : this.#failed(visit, attempt, attempt.failure);
      if (!this.over && attempt.failure?.cause !== "aborted")
        return visit.take(hook, given as Fields | undefined, this);
    } catch (thrown) {
      const failure = isUnacceptable(thrown)
        ? thrown.failure
        : ({ cause: "bad", message: messageOf(thrown), error: thrown } as const);
      attempt.spoil(failure);
      const given = this.#failed(visit, attempt, failure);
      if (!this.over) return visit.take(hook, given);
    }
    return { answer: undefined, changed: [] };
  }

  /** What a failure counts as: the row's answer, or nothing; an engine's failure refuses whatever the row says. */
  #failed(
    { row }: Visit,
    { hook, timeoutMs, stderr: written, isForeign }: Attempt,
    failure: Failure,
  ): Fields | undefined {
    if (failure.cause === "aborted") return undefined;
    const { guard, name } = this.#plan.row;
    const stderr = isForeign ? "" : written;
    const tell = (effect?: FailureTold["effect"]): void => {
      const diagnostic = failureDiagnostic(failure, hook, { timeoutMs, budgetMs: row.budgetMs ?? 0 });
      const value = failureTold(failure, { moment: name, effect, stderr });
      this.#account.report(Object.defineProperty(diagnostic, "failure", { value }));
    };
    if (guard !== undefined && failure.rewrite) {
      tell("was refused");
      this.#refuse(this.#account.about("REWRITE_REFUSED", hook, name, { problem: failure.message }), hook);
      return undefined;
    }
    const closes = failure.cause === "engine" || this.#pass === 2 || (hook.failClosed && row.kind === "guard");
    if (guard !== undefined && closes) {
      tell("was refused");
      this.#refuse(this.#account.about("FAILED_CLOSED", hook, name, { problem: failure.message }), hook);
      return undefined;
    }
    if (this.#withholds(row, hook)) {
      tell("was withheld");
      this.#withhold(row, hook);
      return undefined;
    }
    const answer = row.failed(failure, hook) as Fields | undefined;
    if (answer !== undefined) tell(guard?.refused(answer) === true ? "was refused" : undefined);
    else if (row.kind === "observe" || row.kind === "shutdown") tell();
    else {
      tell("went on");
      hook.metrics.failedOpen += 1;
      this.#account.about("FAILED_OPEN", hook, row.name);
    }
    return answer;
  }

  #apply(edit: Fields, visit: Visit | undefined): void {
    const { row } = this.#plan;
    this.#state = row.fold.step(this.#state === NOTHING ? row.fold.empty : this.#state, edit as never);
    const { payload } = this;
    const changes: Change[] = [];
    for (const field of Object.keys(row.feeds)) {
      const to = edit[field];
      if (row.feeds[field] !== "original" && to !== undefined && to !== payload[field])
        changes.push([field, payload[field], to]);
    }
    if (changes.length > 0)
      this.payload = { ...payload, ...Object.fromEntries(changes.map(([name, , to]) => [name, to])) };
    if (visit !== undefined)
      for (const change of visit.unaccounted(changes))
        this.#wrote(visit, visit.author?.id ?? visit.station.lane.id, change);
    if (row.schedule === "series" && row.fold.settled(this.#state)) this.over = true;
  }

  /** In the second pass a guard agrees by staying silent; what it would change refuses the call. */
  #second(station: Station, edit: Fields): void {
    const { guard, name } = this.#plan.row;
    const hook = station.hooks[0] as Hook;
    if (guard === undefined) return;
    if (guard.refused(edit)) {
      hook.metrics.blocked += 1;
      this.#apply(edit, undefined);
    } else if (edit[guard.judges] !== undefined && !equal(edit[guard.judges], this.payload[guard.judges])) {
      this.#refuse(this.#account.about("RECHECK_REFUSED", hook, name), hook);
    } else {
      // A milder decision counts too; what else it says was said in the first pass.
      const decision: Record<string, unknown> = {};
      for (const field of Object.keys(guard.refuse(""))) if (field in edit) decision[field] = edit[field];
      this.#apply(decision, undefined);
    }
  }

  #refuse(reason: string, hook: Hook): void {
    const { guard } = this.#plan.row;
    if (guard === undefined) return;
    hook.metrics.blocked += 1;
    this.#apply(guard.refuse(reason), undefined);
    this.over = true;
  }

  /** Keeps back what a hook was to redact, where that is wanted of it and possible; nobody is shown it after that. */
  #withhold(row: LaneRow, hook: Hook): void {
    const { withhold, name } = this.#plan.row;
    if (withhold === undefined || !this.#withholds(row, hook)) return;
    hook.metrics.blocked += 1;
    // What the hook said is no part of the text: an error may quote what it could not read.
    this.#apply(withhold(this.payload, this.#account.about("WITHHELD", hook, name)), undefined);
    this.over = true;
  }

  #withholds({ kind }: LaneRow, hook: Hook): boolean {
    if (!hook.failClosed || this.#plan.row.withhold === undefined || this.over) return false;
    return kind !== "observe" && kind !== "shutdown";
  }

  #judge(visit: Visit, hook: Hook): void {
    if (this.#pass === 2 || this.#plan.row.guard === undefined) return;
    this.#judged ??= new Judged();
    this.#judged.add(visit.station, hook, visit.feeder.seen());
  }

  #edited(visit: Visit, who: string, answer: Fields | undefined, changed: readonly string[]): void {
    for (const field of changed) {
      const change: Change = [field, visit.feeder.before(field), answer?.[field]];
      this.#wrote(visit, who, change);
      visit.edited(change);
    }
  }

  #wrote({ station }: Visit, hook: string, [field, from, to]: Change): void {
    this.#account.edit({ hook, lane: station.lane.id, field, from, to, pass: this.#pass });
  }
}

const asItIs: Accept = (judged) => judged;

function statusOf({ failure }: Attempt, answer: Fields | undefined): Status {
  if (failure !== undefined) return failure.cause === "timeout" ? "timed-out" : "failed";
  return answer === undefined ? "no-answer" : "answered";
}
