import type { Shown } from "../catalog/row.ts";
import type { Diagnostic } from "../error/diagnostic.ts";
import { messageOf } from "../error/error.ts";
import type { Hook } from "../hook/hook.ts";
import type { LaneRow, Plan, Station } from "../hook/lane.ts";
import { Attempt, type AttemptOwner } from "./attempt.ts";
import type { DispatchContext } from "./context.ts";
import type { Deadlines } from "./deadline.ts";
import { Line, type Waiting } from "./line.ts";
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

/** What few dispatches have. */
interface Rare {
  /** Those of a parallel station, in order, and how many of them are waited for. */
  together: Attempt[] | undefined;
  pending: number;
  dialogs: Map<string, unknown> | undefined;
  unlisten: (() => void) | undefined;
  /** When the lane began, where it has a budget. */
  laneStartedAt: number;
  /** The first and the last reading of the clock. */
  from: number | undefined;
  to: number | undefined;
}

const NEVER: Readonly<Rare> = {
  together: undefined,
  pending: 0,
  dialogs: undefined,
  unlisten: undefined,
  laneStartedAt: 0,
  from: undefined,
  to: undefined,
};

/** Its fields are declared, and few, for the same reason as an attempt's. */
class Dispatch implements AttemptOwner, Waiting {
  declare readonly signal: AbortSignal | undefined;
  declare exact: boolean;
  declare private readonly plan: Plan;
  declare private readonly payload: Fields;
  declare private readonly context: DispatchContext;
  /** What was said; nothing while there is nothing to tell. */
  declare private standing: Standing | undefined;
  declare private stations: readonly Station[];
  declare private at: number;
  declare private visit: Visit | undefined;
  declare private current: Attempt | undefined;
  declare private ownLine: Line<Waiting> | undefined;
  declare private resolve: ((outcome: Outcome) => void) | undefined;
  declare private rare: Rare | undefined;

  constructor(plan: Plan, payload: Fields, context: DispatchContext, signal: AbortSignal | undefined) {
    this.signal = signal;
    this.exact = context.trace;
    this.plan = plan;
    this.payload = payload;
    this.context = context;
    this.standing = undefined;
    this.stations = plan.stations;
    this.at = 0;
    this.visit = undefined;
    this.current = undefined;
    this.ownLine = undefined;
    this.resolve = undefined;
    this.rare = undefined;
  }

  go(): Outcome | Promise<Outcome> {
    if (this.goOn(undefined)) {
      this.hangUp();
      return this.outcome();
    }
    this.ownLine ??= this.deadlines.line(this);
    this.deadlines.moved(this.current?.due());
    if (this.signal !== undefined) this.listen(this.signal);
    return new Promise((resolve) => {
      this.resolve = resolve;
    });
  }

  // ---- AttemptOwner

  get row(): LaneRow {
    return (this.visit as Visit).row;
  }

  get shown(): Shown | undefined {
    return this.visit?.copied;
  }

  get deadlines(): Deadlines {
    return this.context.deadlines;
  }

  get dialogs(): Map<string, unknown> {
    const rare = this.rarely();
    rare.dialogs ??= new Map();
    return rare.dialogs;
  }

  get laneStartedAt(): number {
    return this.rare?.laneStartedAt ?? 0;
  }

  now(): number {
    const now = this.context.clock.now();
    const rare = this.rarely();
    rare.from ??= now;
    rare.to = now;
    return now;
  }

  wait(attempt: Attempt, promise: Promise<unknown>): void {
    // Those who wait at the same time need lines of their own, which are not worth keeping.
    if (this.rare?.together !== undefined) new Line(attempt).wait(promise);
    else {
      this.ownLine ??= this.deadlines.line(this);
      this.ownLine.wait(promise);
    }
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

  left(attempt: Attempt): void {
    if (this.rare?.together === undefined && this.ownLine !== undefined) {
      const given: Line = this.ownLine;
      this.deadlines.drop(this.ownLine);
      given.waiting = attempt;
      this.ownLine = this.deadlines.line(this);
    }
    this.visit?.detach();
  }

  // ---- Answered, for those who are asked one after the other

  answered(value: unknown): void {
    this.current?.answered(value);
  }

  rejected(thrown: unknown): void {
    this.current?.rejected(thrown);
  }

  // ----

  resume(attempt: Attempt): void {
    if (this.resolve !== undefined && this.goOn(attempt)) this.end(this.resolve);
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
      return this.broke(this.visit?.station ?? (this.plan.stations[0] as Station), thrown);
    }
  }

  private pump(): boolean {
    for (;;) {
      const visit = this.visit ?? this.enter();
      if (visit === undefined) return true;
      if (this.signal?.aborted) this.aborted();
      const hook = this.standing?.over ? undefined : visit.next();
      if (hook === undefined) this.leave(visit);
      else if (visit.parallel && visit.hasNext) {
        if (!this.askTogether(visit, hook)) return false;
      } else if (hook.match === undefined || this.matches(visit, hook)) {
        const settled = this.ask(visit, new Attempt(this, hook, this.standing?.pass ?? 1, 1));
        if (settled === undefined) return false;
        this.take(visit, settled);
      }
    }
  }

  /** Goes to the next station whose event happens; in the second pass to those who must be asked again. */
  private enter(): Visit | undefined {
    for (;;) {
      if (this.at === this.stations.length && !this.again()) return undefined;
      const station = this.standing?.over ? undefined : this.stations[this.at++];
      if (station === undefined) return undefined;
      try {
        const visit = this.visits(station);
        if (visit !== undefined) return visit;
      } catch (thrown) {
        this.broke(station, thrown);
      }
    }
  }

  /** Whether somebody must be asked once more, or may have to be. */
  private again(): boolean {
    if (this.standing === undefined || this.standing.over) return false;
    this.stations = this.standing.recheck();
    this.at = 0;
    return true;
  }

  private visits(station: Station): Visit | undefined {
    const { row } = station;
    const { scene, trace } = this.context;
    const payload = (this.standing?.payload ?? this.payload) as never;
    if (row.when !== undefined && !row.when(payload, scene)) return undefined;
    this.visit = new Visit(station, row.view.get(payload, scene) as Fields, trace || this.plan.row.guard !== undefined);
    this.exact = trace || row.budgetMs !== undefined;
    if (row.budgetMs !== undefined) this.rarely().laneStartedAt = this.now();
    return this.visit;
  }

  private broke(station: Station, thrown: unknown): true {
    this.told().broke(station, { cause: "engine", message: messageOf(thrown), error: thrown });
    return true;
  }

  private aborted(): void {
    if (!this.standing?.over) this.told().abort();
  }

  private leave(visit: Visit): void {
    this.visit = undefined;
    if (visit.editsInPlace && !this.standing?.over) this.told().takeLate(visit);
    this.standing?.close(visit);
  }

  private matches(visit: Visit, hook: Hook): boolean {
    try {
      if (hook.match === undefined || hook.match(visit.feeder.peek() as never)) return true;
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
      if (attempt.failure === undefined || !attempt.mayRetry) return attempt;
      attempt = this.retry(attempt);
    }
    this.current = attempt;
    if (this.resolve !== undefined) this.deadlines.moved(attempt.due());
    // The handler itself may have aborted the dispatch.
    if (this.signal?.aborted) queueMicrotask(() => attempt.abort());
    return undefined;
  }

  private retry(failed: Attempt): Attempt {
    const next = new Attempt(this, failed.hook, failed.pass, failed.nth + 1);
    if (failed.stderr !== "") next.note(failed.stderr);
    const together = this.rare?.together;
    if (together !== undefined) together[together.indexOf(failed)] = next;
    return next;
  }

  /** Starts every handler of a parallel station; false while any is waited for. */
  private askTogether(visit: Visit, first: Hook): boolean {
    const together: Attempt[] = [];
    for (let hook: Hook | undefined = first; hook !== undefined; hook = visit.next()) {
      if (this.matches(visit, hook)) together.push(new Attempt(this, hook, this.standing?.pass ?? 1, 1));
    }
    const rare = this.rarely();
    rare.together = together;
    rare.pending = 1;
    for (const attempt of [...together]) if (this.ask(visit, attempt) === undefined) rare.pending += 1;
    return this.joined(visit, rare);
  }

  /** Takes in an attempt that was waited for; false while there is more to wait for. */
  private settled(visit: Visit, attempt: Attempt): boolean {
    const last = attempt.failure !== undefined && attempt.mayRetry ? this.ask(visit, this.retry(attempt)) : attempt;
    if (last === undefined) return false;
    if (this.rare?.together !== undefined) return this.joined(visit, this.rare);
    this.take(visit, last);
    return true;
  }

  private joined(visit: Visit, rare: Rare): boolean {
    rare.pending -= 1;
    if (rare.pending > 0) return false;
    const together = rare.together ?? [];
    rare.together = undefined;
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
    this.rarely().unlisten = () => signal.removeEventListener("abort", onAbort);
  }

  /** The attempts that may be waited for, as a list that stays as it is. */
  private waiting(): readonly Attempt[] {
    if (this.rare?.together !== undefined) return [...this.rare.together];
    return this.current === undefined ? [] : [this.current];
  }

  private rarely(): Rare {
    this.rare ??= { ...NEVER };
    return this.rare;
  }

  private told(): Standing {
    this.standing ??= new Standing(this.plan, this.payload, this.context);
    return this.standing;
  }

  private end(resolve: (outcome: Outcome) => void): void {
    this.resolve = undefined;
    this.rare?.unlisten?.();
    this.hangUp();
    const outcome = this.outcome();
    resolve(this.context.ended?.(this.plan, outcome) ?? outcome);
  }

  private hangUp(): void {
    if (this.ownLine !== undefined) this.deadlines.free(this.ownLine);
    this.ownLine = undefined;
  }

  private outcome(): Outcome {
    const ms = this.rare === undefined ? 0 : spent(this.rare);
    if (this.context.trace || this.standing !== undefined) return this.told().outcome(ms);
    return ms === 0 ? NOBODY : { ...NOBODY, ms };
  }
}

function spent({ from, to }: Rare): number {
  return from === undefined || to === undefined ? 0 : to - from;
}
