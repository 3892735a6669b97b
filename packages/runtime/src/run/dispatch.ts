import type { Diagnostic } from "../error/diagnostic.ts";
import { messageOf } from "../error/error.ts";
import type { Hook } from "../hook/hook.ts";
import type { Plan, Station } from "../hook/lane.ts";
import { Attempt, type AttemptOwner } from "./attempt.ts";
import type { DispatchContext } from "./context.ts";
import type { Deadlines, Waiting } from "./deadline.ts";
import { Line } from "./line.ts";
import { NOBODY, type Outcome } from "./outcome.ts";
import { Standing } from "./standing.ts";
import { Visit } from "./visit.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Asks the hooks of one event, lane by lane, and folds what they say: the one dispatch loop.
 *
 * Settles at once, without a promise, when every handler does. `signal` is this dispatch's own, where the context is
 * shared by several.
 */
export function dispatch(
  plan: Plan,
  payload: object,
  context: DispatchContext,
  signal: AbortSignal | undefined = context.signal,
): Outcome | Promise<Outcome> {
  return new Dispatch(plan, payload as Fields, context, signal).go();
}

/** Its fields are declared for the same reason as an attempt's. */
class Dispatch implements AttemptOwner, Waiting {
  declare readonly signal: AbortSignal | undefined;
  declare readonly deadlines: Deadlines;
  declare exact: boolean;
  declare laneStartedAt: number;
  declare slot: number;
  declare private readonly plan: Plan;
  declare private readonly payload: Fields;
  declare private readonly context: DispatchContext;
  /** What was said; nothing while there is nothing to tell. */
  declare private standing: Standing | undefined;
  declare private stations: readonly Station[];
  declare private at: number;
  declare private visit: Visit | undefined;
  declare private current: Attempt | undefined;
  /** Those of a parallel station, in order. */
  declare private together: Attempt[] | undefined;
  declare private pending: number;
  declare private ownLine: Line | undefined;
  declare private ownDialogs: Map<string, unknown> | undefined;
  declare private resolve: ((outcome: Outcome) => void) | undefined;
  declare private unlisten: (() => void) | undefined;
  /** The first and the last reading of the clock. */
  declare private from: number | undefined;
  declare private to: number | undefined;

  constructor(plan: Plan, payload: Fields, context: DispatchContext, signal: AbortSignal | undefined) {
    this.signal = signal;
    this.deadlines = context.deadlines;
    this.exact = context.trace;
    this.laneStartedAt = 0;
    this.slot = -1;
    this.plan = plan;
    this.payload = payload;
    this.context = context;
    this.standing = undefined;
    this.stations = plan.stations;
    this.at = 0;
    this.visit = undefined;
    this.current = undefined;
    this.together = undefined;
    this.pending = 0;
    this.ownLine = undefined;
    this.ownDialogs = undefined;
    this.resolve = undefined;
    this.unlisten = undefined;
    this.from = undefined;
    this.to = undefined;
  }

  go(): Outcome | Promise<Outcome> {
    if (this.goOn(undefined)) return this.outcome();
    this.deadlines.watch(this, this.current?.due());
    if (this.signal !== undefined) this.listen(this.signal);
    return new Promise((resolve) => {
      this.resolve = resolve;
    });
  }

  // ---- AttemptOwner

  get dialogs(): Map<string, unknown> {
    this.ownDialogs ??= new Map();
    return this.ownDialogs;
  }

  now(): number {
    const now = this.context.clock.now();
    this.from ??= now;
    this.to = now;
    return now;
  }

  line(): Line {
    // Those who wait at the same time need lines of their own, which are not worth keeping.
    if (this.together !== undefined) return Line.take();
    this.ownLine ??= Line.take();
    return this.ownLine;
  }

  notice(hook: Hook, text: string): void {
    this.told().notice(hook, text);
  }

  report(diagnostic: Diagnostic): void {
    try {
      this.context.report(diagnostic);
    } catch {
      // A listener's fault changes nothing.
    }
  }

  left(): void {
    this.ownLine = undefined;
    this.visit?.detach();
  }

  resume(attempt: Attempt): void {
    const resolve = this.resolve;
    if (resolve === undefined || !this.goOn(attempt)) return;
    this.resolve = undefined;
    this.deadlines.settled(this);
    this.unlisten?.();
    this.ownLine?.free();
    this.ownLine = undefined;
    const outcome = this.outcome();
    resolve(this.context.ended?.(this.plan, outcome) ?? outcome);
  }

  /** Told the time while handlers are waited for. */
  sweep(now: number): number {
    let next = Number.POSITIVE_INFINITY;
    for (const attempt of this.waiting()) next = Math.min(next, attempt.sweep(now));
    return next;
  }

  // ---- the loop

  /** Goes on, behind an attempt where one was waited for, until one is waited for (false) or all is over (true). */
  private goOn(attempt: Attempt | undefined): boolean {
    try {
      return (attempt === undefined || this.settled(this.visit as Visit, attempt)) && this.pump();
    } catch (thrown) {
      const station = this.visit?.station ?? (this.plan.stations[0] as Station);
      this.told().broke(station, { cause: "engine", message: messageOf(thrown), error: thrown });
      return true;
    }
  }

  private pump(): boolean {
    for (;;) {
      const visit = this.visit ?? this.enter();
      if (visit === undefined) return true;
      if (this.signal?.aborted && !this.standing?.over) this.told().abort();
      const hook = this.standing?.over ? undefined : visit.next();
      if (hook === undefined) this.leave(visit);
      else if (visit.row.schedule === "parallel" && visit.hasNext) {
        if (!this.askTogether(visit, hook)) return false;
      } else if (this.matches(visit, hook)) {
        const settled = this.ask(visit, new Attempt(this, visit.row, hook, this.standing?.pass ?? 1, 1));
        if (settled === undefined) return false;
        this.take(visit, settled);
      }
    }
  }

  /** Goes to the next station whose event happens; in the second pass to those who must be asked again. */
  private enter(): Visit | undefined {
    for (;;) {
      if (this.at === this.stations.length) {
        if (this.standing === undefined || this.standing.over) return undefined;
        this.stations = this.standing.recheck();
        this.at = 0;
      }
      const station = this.standing?.over ? undefined : this.stations[this.at++];
      if (station === undefined) return undefined;
      const { row } = station;
      const { scene, trace } = this.context;
      const payload = (this.standing?.payload ?? this.payload) as never;
      try {
        if (row.when !== undefined && !row.when(payload, scene)) continue;
        const exact = trace || this.plan.row.guard !== undefined;
        this.visit = new Visit(station, row.view.get(payload, scene) as Fields, exact);
      } catch (thrown) {
        this.told().broke(station, { cause: "engine", message: messageOf(thrown), error: thrown });
        continue;
      }
      this.exact = trace || row.budgetMs !== undefined;
      if (row.budgetMs !== undefined) this.laneStartedAt = this.now();
      return this.visit;
    }
  }

  private leave(visit: Visit): void {
    this.visit = undefined;
    if (visit.editsInPlace && !this.standing?.over) this.told().takeLate(visit);
    this.standing?.close(visit);
  }

  private matches(visit: Visit, hook: Hook): boolean {
    if (hook.match === undefined) return true;
    try {
      if (hook.match(visit.feeder.peek() as never)) return true;
    } catch {
      // A matcher that cannot tell must not open a guard.
      return true;
    }
    hook.metrics.skipped += 1;
    if (this.context.trace || this.plan.row.guard !== undefined) this.told().skip(visit, hook);
    return false;
  }

  /** Starts an attempt and, while one fails that may be retried, the next; the one that counts, if it settled at once. */
  private ask(visit: Visit, first: Attempt): Attempt | undefined {
    let attempt = first;
    while (attempt.start(visit.hand())) {
      if (!attempt.mayRetry) return attempt;
      attempt = this.retry(visit, attempt);
    }
    this.current = attempt;
    if (this.resolve !== undefined) this.deadlines.moved(attempt.due());
    // The handler itself may have aborted the dispatch.
    if (this.signal?.aborted) queueMicrotask(() => attempt.abort());
    return undefined;
  }

  private retry(visit: Visit, failed: Attempt): Attempt {
    const next = new Attempt(this, visit.row, failed.hook, failed.pass, failed.nth + 1);
    if (failed.stderr !== "") next.note(failed.stderr);
    const together = this.together;
    if (together !== undefined) together[together.indexOf(failed)] = next;
    return next;
  }

  /** Starts every handler of a parallel station; false while any is waited for. */
  private askTogether(visit: Visit, first: Hook): boolean {
    const together: Attempt[] = [];
    for (let hook: Hook | undefined = first; hook !== undefined; hook = visit.next()) {
      if (this.matches(visit, hook)) together.push(new Attempt(this, visit.row, hook, this.standing?.pass ?? 1, 1));
    }
    this.together = together;
    this.pending = 1;
    for (const attempt of [...together]) if (this.ask(visit, attempt) === undefined) this.pending += 1;
    return this.joined(visit, together);
  }

  /** Takes in an attempt that was waited for; false while there is more to wait for. */
  private settled(visit: Visit, attempt: Attempt): boolean {
    const last = attempt.mayRetry ? this.ask(visit, this.retry(visit, attempt)) : attempt;
    if (last === undefined) return false;
    if (this.together !== undefined) return this.joined(visit, this.together);
    this.take(visit, last);
    return true;
  }

  private joined(visit: Visit, together: readonly Attempt[]): boolean {
    this.pending -= 1;
    if (this.pending > 0) return false;
    this.together = undefined;
    for (const attempt of together) this.take(visit, attempt);
    return true;
  }

  private take(visit: Visit, attempt: Attempt): void {
    if (!attempt.quiet || this.context.trace || this.plan.row.guard !== undefined) this.told().take(visit, attempt);
  }

  private listen(signal: AbortSignal): void {
    if (signal.aborted) return;
    const onAbort = (): void => {
      for (const attempt of this.waiting()) attempt.abort();
    };
    signal.addEventListener("abort", onAbort, { once: true });
    this.unlisten = () => signal.removeEventListener("abort", onAbort);
  }

  /** The attempts that may be waited for, as a list that stays as it is. */
  private waiting(): readonly Attempt[] {
    if (this.together !== undefined) return [...this.together];
    return this.current === undefined ? [] : [this.current];
  }

  private told(): Standing {
    this.standing ??= new Standing(this.plan, this.payload, this.context);
    return this.standing;
  }

  private outcome(): Outcome {
    const ms = this.from === undefined || this.to === undefined ? 0 : this.to - this.from;
    if (this.context.trace || this.standing !== undefined) return this.told().outcome(ms);
    return ms === 0 ? NOBODY : { ...NOBODY, ms };
  }
}
