import type { Failure } from "../catalog/row.ts";
import { messageOf } from "../error/error.ts";
import type { Hook } from "../hook/hook.ts";
import type { LaneRow, Plan, Station } from "../hook/lane.ts";
import { equal } from "../lens/equal.ts";
import { Account } from "./account.ts";
import { Attempt, type AttemptOwner } from "./attempt.ts";
import type { DispatchContext } from "./context.ts";
import { failureDiagnostic } from "./failure.ts";
import { Feeder } from "./feeder.ts";
import { Judged } from "./judged.ts";
import type { Notice, Outcome, Status } from "./outcome.ts";

type Fields = Readonly<Record<string, unknown>>;

const NOTHING: readonly Hook[] = [];

/**
 * Asks the hooks of one event, lane by lane, and folds what they say: the one dispatch loop.
 *
 * Settles at once, without a promise, when every handler does.
 */
export function dispatch(plan: Plan, payload: object, context: DispatchContext): Outcome | Promise<Outcome> {
  return new Dispatch(plan, payload, context).go();
}

class Dispatch implements AttemptOwner {
  readonly context: DispatchContext;
  readonly dialogs = new Map<string, unknown>();
  laneStartedAt = 0;

  readonly #plan: Plan;
  readonly #startedAt: number;
  readonly #account: Account;
  #payload: Fields;
  #state: unknown;

  // the station that is being worked through
  #stations: readonly Station[];
  #at = -1;
  #station: Station | undefined;
  #hooks: readonly Hook[] = NOTHING;
  #count = 0;
  #next = 0;
  #fold: unknown;
  /** Whose answer settled the fold, else who answered last. */
  #author: Hook | undefined;
  #feeder: Feeder | undefined;
  #now = 0;

  // the guard's second pass
  #pass: 1 | 2 = 1;
  #judged: Judged | undefined;

  // waiting
  #current: Attempt | undefined;
  #running: Attempt[] | undefined;
  #pending = 0;
  #resolve: ((outcome: Outcome) => void) | undefined;
  #unlisten: (() => void) | undefined;
  #over = false;

  constructor(plan: Plan, payload: object, context: DispatchContext) {
    this.#plan = plan;
    this.#payload = payload as Fields;
    this.context = context;
    this.#account = new Account((diagnostic) => context.report(diagnostic));
    this.#stations = plan.stations;
    this.#state = plan.row.fold.empty;
    this.#startedAt = context.clock.now();
    this.#now = this.#startedAt;
  }

  get notices(): Notice[] {
    return this.#account.notices;
  }

  go(): Outcome | Promise<Outcome> {
    if (this.#pump()) return this.#outcome();
    this.#listen();
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  resume(attempt: Attempt): void {
    this.#now = this.context.clock.now();
    if (this.#running !== undefined) {
      if (--this.#pending > 0) return;
      for (const one of this.#running) this.#take(one);
      this.#running = undefined;
    } else this.#take(attempt);
    if (!this.#pump()) return;
    this.#unlisten?.();
    this.#resolve?.(this.#outcome());
  }

  /** Goes on until a handler is waited for (false) or the dispatch is over (true). */
  #pump(): boolean {
    for (;;) {
      if (this.#station === undefined) {
        if (this.#over || !this.#enter()) return true;
        continue;
      }
      if (this.context.signal?.aborted && !this.#over) this.#aborted();
      if (this.#station.lane.live && this.#hooks.length > this.#count) this.#count = this.#hooks.length;
      if (this.#over || this.#next >= this.#count || this.#settled()) {
        this.#leave();
        continue;
      }
      if (this.#station.row.schedule === "parallel") {
        if (!this.#together()) return false;
        continue;
      }
      const attempt = this.#prepare(this.#hooks[this.#next++] as Hook);
      if (attempt === undefined) continue;
      if (!attempt.start()) {
        this.#current = attempt;
        return false;
      }
      this.#now = this.context.clock.now();
      this.#take(attempt);
    }
  }

  /** Starts every handler of a parallel station; false while any is waited for. */
  #together(): boolean {
    const attempts: Attempt[] = [];
    this.#running = attempts;
    for (const hook of this.#hooks.slice(0, this.#count)) {
      const attempt = this.#prepare(hook);
      if (attempt !== undefined) attempts.push(attempt);
    }
    this.#next = this.#count;
    this.#pending = 1;
    for (const attempt of attempts) if (!attempt.start()) this.#pending += 1;
    if (--this.#pending > 0) return false;
    this.#running = undefined;
    for (const attempt of attempts) this.#take(attempt);
    return true;
  }

  /** Opens the next station; false when there is none. */
  #enter(): boolean {
    this.#at += 1;
    if (this.#at >= this.#stations.length) return this.#pass === 1 && this.#recheck();
    const station = this.#stations[this.#at] as Station;
    const { row, lane } = station;
    try {
      if (row.when !== undefined && !row.when(this.#payload as never, this.context.scene as never)) return true;
      const event = row.view.get(this.#payload as never, this.context.scene as never) as Fields;
      this.#feeder = new Feeder(row, event, lane.isolate, this.context.trace || this.#plan.row.guard !== undefined);
    } catch (thrown) {
      this.#cannot(station, { cause: "engine", message: messageOf(thrown), error: thrown });
      return true;
    }
    this.#station = station;
    this.#hooks = station.hooks;
    this.#count = station.hooks.length;
    this.#next = 0;
    this.#fold = row.fold.empty;
    this.#author = undefined;
    this.laneStartedAt = this.#now;
    return true;
  }

  #settled(): boolean {
    const { row } = this.#station as Station;
    return row.schedule === "series" && row.fold.settled(this.#fold);
  }

  /** Filters; `undefined` means that this hook is not for this event. */
  #prepare(hook: Hook): Attempt | undefined {
    const { row } = this.#station as Station;
    const event = (this.#feeder as Feeder).hand();
    if (hook.match !== undefined) {
      let hit: boolean;
      try {
        hit = hook.match(event as never);
      } catch {
        // A matcher that cannot tell must not open a guard.
        hit = true;
      }
      if (!hit) {
        hook.metrics.skipped += 1;
        if (this.context.trace) this.#note(hook, "skipped");
        return undefined;
      }
    }
    return new Attempt(this, row, hook, event, this.#pass, this.#now);
  }

  /** Takes in what one hook said. */
  #take(attempt: Attempt): void {
    this.#current = undefined;
    const { row } = this.#station as Station;
    const { hook } = attempt;
    const feeder = this.#feeder as Feeder;
    let answer = attempt.answer as Fields | undefined;
    let status: Status = answer === undefined ? "no-answer" : "answered";
    if (attempt.failure !== undefined) {
      status = attempt.failure.cause === "timeout" ? "timed-out" : "failed";
      answer = this.#failed(attempt.failure, attempt, row);
      if (this.#over) {
        this.#note(hook, status, attempt, answer);
        return;
      }
    }
    for (const field of attempt.odd ?? []) {
      this.#account.about("HOOK_ODD_ANSWER", hook, hook.event, { field, problem: "it is of the wrong type" });
    }
    const saw = this.#plan.row.guard === undefined ? undefined : feeder.seen();
    let inPlace: Fields | undefined;
    try {
      inPlace = feeder.collect();
    } catch (thrown) {
      answer = this.#failed({ cause: "bad", message: messageOf(thrown) }, attempt, row);
    }
    if (inPlace !== undefined) answer = { ...inPlace, ...answer };
    if (answer === undefined) {
      if (this.context.trace || status !== "no-answer") this.#note(hook, status, attempt);
    } else {
      if (!row.fold.settled(this.#fold)) this.#author = hook;
      this.#fold = row.fold.step(this.#fold, answer as never);
      const changed = feeder.feed(answer);
      for (const field of changed) {
        hook.metrics.edits += 1;
        this.#account.edit({
          hook: hook.id,
          lane: (this.#station as Station).lane.id,
          field,
          from: feeder.before(field),
          to: answer[field],
          pass: this.#pass,
        });
      }
      this.#note(hook, status === "no-answer" ? "answered" : status, attempt, answer);
      if (changed.length > 0 || this.#pass === 2) return;
    }
    if (saw !== undefined && this.#pass === 1 && attempt.failure === undefined) {
      (this.#judged ??= new Judged()).add(this.#station as Station, hook, saw);
    }
  }

  /** What a failure counts as: the row's answer, or nothing; an engine's failure refuses whatever the row says. */
  #failed(failure: Failure, attempt: Attempt, row: LaneRow): Fields | undefined {
    const { hook } = attempt;
    if (failure.cause !== "aborted")
      this.#account.report(
        failureDiagnostic(failure, hook, { timeoutMs: attempt.timeoutMs, budgetMs: row.budgetMs ?? 0 }),
      );
    const { guard } = this.#plan.row;
    if (guard !== undefined && (failure.cause === "engine" || failure.cause === "aborted" || this.#pass === 2)) {
      this.#refuse(this.#account.about("FAILED_CLOSED", hook, this.#plan.row.name, { problem: failure.message }), hook);
      return undefined;
    }
    const answer = row.failed(failure, hook) as Fields | undefined;
    if (answer === undefined && failure.cause !== "aborted" && row.kind !== "observe" && row.kind !== "shutdown") {
      this.#account.about("FAILED_OPEN", hook, row.name);
    }
    return answer;
  }

  /** Closes the station: its outcome becomes an edit, the catalog row folds it, the payload moves on. */
  #leave(): void {
    const station = this.#station as Station;
    const feeder = this.#feeder as Feeder;
    this.#station = undefined;
    this.#feeder = undefined;
    if (this.#over) return;
    const { row, lane } = station;
    let late: Fields | undefined;
    try {
      late = feeder.collectLate();
    } catch (thrown) {
      this.#cannot(station, { cause: "bad", message: messageOf(thrown) });
      return;
    }
    if (late !== undefined) {
      this.#fold = row.fold.step(this.#fold, late as never);
      for (const field of feeder.feed(late)) {
        this.#account.edit({
          hook: lane.id,
          lane: lane.id,
          field,
          from: feeder.before(field),
          to: late[field],
          pass: this.#pass,
        });
      }
    }
    if (this.#fold === row.fold.empty) return;
    let edit: Fields | undefined;
    try {
      edit = row.view.put(row.fold.result(this.#fold) as never, this.#payload as never, this.context.scene as never) as
        | Fields
        | undefined;
    } catch (thrown) {
      this.#cannot(station, { cause: "bad", message: messageOf(thrown), error: thrown });
      return;
    }
    if (edit === undefined) return;
    if (this.#pass === 2) {
      this.#second(station, edit);
      return;
    }
    this.#apply(edit);
    const { guard } = this.#plan.row;
    if (guard?.refused(edit) && this.#author !== undefined) this.#author.metrics.blocked += 1;
  }

  #apply(edit: Fields): void {
    const { row } = this.#plan;
    this.#state = row.fold.step(this.#state, edit as never);
    let next: Record<string, unknown> | undefined;
    for (const field of Object.keys(row.feeds)) {
      if (row.feeds[field] !== "original" && edit[field] !== undefined && edit[field] !== this.#payload[field]) {
        next ??= { ...this.#payload };
        next[field] = edit[field];
      }
    }
    if (next !== undefined) this.#payload = next;
    if (row.schedule === "series" && row.fold.settled(this.#state)) this.#over = true;
  }

  /** Law 3: those who judged another call than the final one are asked again, each alone. */
  #recheck(): boolean {
    if (this.#judged === undefined || this.#over || !this.#account.edited) return false;
    let again: Station[];
    try {
      again = this.#judged.again(this.#payload, this.context.scene);
    } catch (thrown) {
      this.#cannot(this.#stations[0] as Station, { cause: "bad", message: messageOf(thrown), error: thrown });
      return false;
    }
    if (again.length === 0) return false;
    this.#pass = 2;
    this.#stations = again;
    this.#at = -1;
    return true;
  }

  /** In the second pass a guard agrees by staying silent; what it would change refuses the call. */
  #second(station: Station, edit: Fields): void {
    const { guard } = this.#plan.row;
    const hook = station.hooks[0] as Hook;
    if (guard === undefined) return;
    if (guard.refused(edit)) {
      hook.metrics.blocked += 1;
      this.#apply(edit);
    } else if (edit[guard.judges] !== undefined && !equal(edit[guard.judges], this.#payload[guard.judges])) {
      this.#refuse(this.#account.about("RECHECK_REFUSED", hook, this.#plan.row.name), hook);
    }
  }

  #refuse(reason: string, hook: Hook): void {
    const { guard } = this.#plan.row;
    if (guard === undefined) return;
    hook.metrics.blocked += 1;
    this.#apply(guard.refuse(reason));
    this.#over = true;
  }

  /** A lens failed: nobody could be asked, or what was said could not be applied. */
  #cannot(station: Station, failure: Failure): void {
    const hook = station.hooks[0] as Hook;
    this.#account.report(failureDiagnostic(failure, hook, { timeoutMs: 0, budgetMs: 0 }));
    this.#refuse(`${station.lane.id} could not be asked: ${failure.message}`, hook);
  }

  #aborted(): void {
    const { guard } = this.#plan.row;
    if (guard !== undefined) this.#apply(guard.refuse("aborted"));
    this.#over = true;
  }

  #listen(): void {
    const { signal } = this.context;
    if (signal === undefined) return;
    const onAbort = (): void => {
      const waiting = this.#running ?? (this.#current === undefined ? [] : [this.#current]);
      for (const attempt of [...waiting]) attempt.abort();
    };
    if (signal.aborted) {
      queueMicrotask(onAbort);
      return;
    }
    signal.addEventListener("abort", onAbort, { once: true });
    this.#unlisten = () => signal.removeEventListener("abort", onAbort);
  }

  #note(hook: Hook, status: Status, attempt?: Attempt, answer?: unknown): void {
    const ms = attempt === undefined ? 0 : this.#now - attempt.startedAt;
    this.#account.run(hook, (this.#station as Station).lane.id, this.#pass, status, ms, attempt, answer);
  }

  #outcome(): Outcome {
    if (this.context.trace) this.#account.notReached(this.#plan);
    const answer = (this.#plan.row.fold.result(this.#state) ?? {}) as Fields;
    return this.#account.outcome(answer, this.#now - this.#startedAt);
  }
}
