import type { Shown } from "../catalog/row.ts";
import type { Diagnostic } from "../error/diagnostic.ts";
import { messageOf } from "../error/error.ts";
import type { Hook } from "../hook/hook.ts";
import type { LaneRow, Plan, Station } from "../hook/lane.ts";
import { Attempt, type AttemptOwner } from "./attempt.ts";
import type { Accept, DispatchContext } from "./context.ts";
import type { Deadlines } from "./deadline.ts";
import { observedBy } from "./feeder.ts";
import { placeIn } from "./growing.ts";
import { Line, type Waiting } from "./line.ts";
import { NOBODY, type Outcome } from "./outcome.ts";
import { Rare } from "./rare.ts";
import { Standing } from "./standing.ts";
import { Together } from "./together.ts";
import { Visit } from "./visit.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Asks the hooks of one event, lane by lane, and folds what they say: the one dispatch loop.
 *
 * Settles at once, without a promise, when every handler does. `signal` and `accept` are this dispatch's own; `accept`
 * is asked about what a guard's row judges each time that a hook has changed it.
 */
export function dispatch(
  plan: Plan,
  payload: object,
  context: DispatchContext,
  signal: AbortSignal | undefined = context.signal,
  accept?: Accept,
): Outcome | Promise<Outcome> {
  return new Dispatch(plan, payload as Fields, context, signal, accept).go();
}

/** Stands for the end of the wait, whose promise the host has. */
const WITH_THE_WAIT = (): void => {};

/** Its fields are declared, and few, for the same reason as an attempt's. */
class Dispatch implements AttemptOwner, Waiting {
  declare readonly signal: AbortSignal | undefined;
  declare exact: boolean;
  /** Whether also those count who have nothing to say. */
  declare private readonly tellsAll: boolean;
  declare private readonly plan: Plan;
  declare private readonly payload: Fields;
  declare private readonly context: DispatchContext;
  declare private readonly accept: Accept | undefined;
  /** What was said; nothing while there is nothing to tell. */
  declare private standing: Standing | undefined;
  /** The station whose hooks are asked, and its event. */
  declare private station: Station | undefined;
  declare private event: Fields;
  /** What observers are handed: they answer nothing, so they all get the same. */
  declare private observed: unknown;
  /** What its hooks have said; nothing while they are silent. */
  declare private visit: Visit | undefined;
  /** Which station is next, which hook of the one that is worked through, and who was asked last. */
  declare private at: number;
  declare private nth: number;
  declare private last: Hook | undefined;
  declare private current: Attempt | undefined;
  declare private ownLine: Line<Waiting> | undefined;
  /** Who is given the outcome, once the host has a promise of it. */
  declare private resolve: ((outcome: Outcome) => void) | undefined;
  /** The promise of the wait, then what that comes to if it is the host's. */
  declare private waited: unknown;
  declare private rare: Rare | undefined;

  constructor(plan: Plan, payload: Fields, context: DispatchContext, signal?: AbortSignal, accept?: Accept) {
    this.signal = signal;
    this.exact = false;
    this.tellsAll = context.trace || plan.row.guard !== undefined;
    this.plan = plan;
    this.payload = payload;
    this.context = context;
    this.accept = accept;
    this.standing = undefined;
    this.station = undefined;
    this.event = payload;
    this.observed = undefined;
    this.visit = undefined;
    this.at = 0;
    this.nth = 0;
    this.last = undefined;
    this.current = undefined;
    this.ownLine = undefined;
    this.resolve = undefined;
    this.waited = undefined;
    this.rare = undefined;
  }

  go(): Outcome | Promise<Outcome> {
    if (this.goOn(undefined)) {
      this.deadlines.free(this.ownLine);
      return this.outcome();
    }
    this.deadlines.moved(this.current?.due());
    if (this.signal !== undefined) this.listen(this.signal);
    else if (this.waited !== undefined && this.isLast && this.current?.timeoutMs === Number.POSITIVE_INFINITY) {
      // Nothing can end this wait but what is waited for, so its promise can be the host's.
      this.resolve = WITH_THE_WAIT;
      return this.waited as Promise<Outcome>;
    }
    return this.promise();
  }

  private promise(): Promise<Outcome> {
    return new Promise((resolve) => {
      this.resolve = resolve;
    });
  }

  get row(): LaneRow {
    return (this.station as Station).row;
  }

  get shown(): Shown | undefined {
    return this.visit?.copied;
  }

  get deadlines(): Deadlines {
    return this.context.deadlines;
  }

  rarely(): Rare {
    this.rare ??= new Rare(this.context.clock);
    return this.rare;
  }

  wait(attempt: Attempt, promise: Promise<unknown>): void {
    // Those who wait at the same time need lines of their own, which are not worth keeping.
    if (this.rare?.together !== undefined) void new Line(attempt).wait(promise);
    else this.waited = (this.ownLine ??= this.deadlines.line(this)).wait(promise);
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
    if (this.ownLine !== undefined && !this.rare?.together) this.ownLine = this.deadlines.swap(this.ownLine, attempt);
    // Who runs on keeps what was shown; the others get a copy of their own.
    if (this.observed === this.event && this.station?.lane.isolate === true) this.event = { ...this.event };
    this.observed = undefined;
    this.visit?.detach();
  }

  /** Told of those who are asked one after the other. */
  answered(value: unknown): unknown {
    const withTheWait = this.resolve === WITH_THE_WAIT;
    this.current?.answered(value);
    return withTheWait ? this.rest() : undefined;
  }

  rejected(thrown: unknown): unknown {
    const withTheWait = this.resolve === WITH_THE_WAIT;
    this.current?.rejected(thrown);
    return withTheWait ? this.rest() : undefined;
  }

  /** What the promise that the host has comes to: the outcome, or a promise of it where something is waited for still. */
  private rest(): unknown {
    return this.resolve === undefined ? this.waited : this.promise();
  }

  resume(attempt: Attempt): void {
    if (this.resolve !== undefined && this.goOn(attempt)) this.end(this.resolve);
  }

  private listen(signal: AbortSignal): void {
    this.rarely().listen(signal, () => {
      for (const attempt of this.waiting()) attempt.abort();
    });
  }

  /** Told the time while handlers are waited for. */
  sweep(now: number): number {
    let next = Number.POSITIVE_INFINITY;
    for (const attempt of this.waiting()) next = Math.min(next, attempt.sweep(now));
    return next;
  }

  /** Goes on, behind an attempt where one was waited for, until one is waited for (false) or all is over (true). */
  private goOn(attempt: Attempt | undefined): boolean {
    try {
      return (attempt === undefined || this.settled(attempt)) && (this.isSilent || this.pump());
    } catch (thrown) {
      return this.broke(this.station ?? (this.plan.stations[0] as Station), thrown);
    }
  }

  /** Whether, as far as is known, nobody is asked any more. */
  private get isLast(): boolean {
    return this.nth === this.station?.hooks.length && this.at === this.plan.stations.length;
  }

  /** Whether that is so and nobody had anything to say: what the loop would find out step by step. */
  private get isSilent(): boolean {
    return this.visit === undefined && this.isLast && this.standing === undefined && !this.signal?.aborted;
  }

  private pump(): boolean {
    for (;;) {
      const station = this.station ?? this.enter();
      if (station === undefined) return true;
      if (this.signal?.aborted && !this.standing?.over) this.told().abort();
      const hook = this.next(station);
      if (hook === undefined) this.leave();
      else if (this.nth < station.hooks.length && station.row.schedule === "parallel") {
        if (!this.askTogether(station, hook)) return false;
      } else if (hook.match === undefined || this.matches(hook)) {
        const settled = this.ask(new Attempt(this, hook, this.standing?.pass ?? 1, 1));
        if (settled === undefined) return false;
        this.take(settled);
      }
    }
  }

  /** Goes to the next station whose event happens; in the second pass to those who must be asked again. */
  private enter(): Station | undefined {
    for (;;) {
      const { standing } = this;
      let stations = this.rare?.again ?? this.plan.stations;
      if (standing !== undefined) {
        if (standing.over) return undefined;
        if (this.at === stations.length) stations = this.again(standing);
      }
      const station = stations[this.at++];
      if (station === undefined) return undefined;
      try {
        if (this.happens(station)) return station;
      } catch (thrown) {
        this.broke(station, thrown);
      }
    }
  }

  /** Those who must be asked once more, if anybody must. */
  private again(standing: Standing): readonly Station[] {
    const stations = standing.recheck();
    this.rarely().again = stations;
    this.at = 0;
    return stations;
  }

  private happens(station: Station): boolean {
    const { row } = station;
    const { scene, trace } = this.context;
    const payload = (this.standing?.payload ?? this.payload) as never;
    if (row.when !== undefined && !row.when(payload, scene)) return false;
    this.event = row.view.get(payload, scene) as Fields;
    this.observed = undefined;
    this.nth = 0;
    this.station = station;
    this.exact = trace || row.budgetMs !== undefined;
    if (row.budgetMs !== undefined) this.rarely().laneStartedAt = this.rarely().now();
    return true;
  }

  /** The next hook to ask; nothing when all were asked, or when the fold of a series is settled. */
  private next({ lane, hooks }: Station): Hook | undefined {
    if (lane.live) this.nth = placeIn(hooks, this.nth, this.last);
    if (this.nth >= hooks.length || this.standing?.over || this.visit?.settled) return undefined;
    this.last = hooks[this.nth++];
    return this.last;
  }

  private broke(station: Station, thrown: unknown): true {
    this.told().broke(station, { cause: "engine", message: messageOf(thrown), error: thrown });
    return true;
  }

  private leave(): void {
    const { visit } = this;
    this.station = undefined;
    if (visit === undefined) return;
    this.visit = undefined;
    if (visit.editsInPlace && !this.standing?.over) this.told().takeLate(visit);
    this.standing?.close(visit);
  }

  private matches(hook: Hook): boolean {
    const visit = this.visited();
    try {
      if (hook.match === undefined || hook.match(visit.feeder.peek() as never)) return true;
    } catch {
      // A matcher that cannot tell must not open a guard.
      return true;
    }
    hook.metrics.skipped += 1;
    if (this.tellsAll) this.told().skip(visit, hook);
    return false;
  }

  /** Starts an attempt and, while one fails that may be retried, the next; the one that counts, if it settled at once. */
  private ask(attempt: Attempt): Attempt | undefined {
    if (attempt.start(this.observed ?? this.handed()))
      return attempt.failure === undefined ? attempt : this.failed(attempt);
    this.current = attempt;
    if (this.resolve !== undefined) this.deadlines.moved(attempt.due());
    // The handler itself may have aborted the dispatch.
    if (this.signal?.aborted) attempt.abortSoon();
    return undefined;
  }

  private failed(attempt: Attempt): Attempt | undefined {
    return attempt.mayRetry ? this.ask(this.retry(attempt)) : attempt;
  }

  /** The event for the next handler. */
  private handed(): unknown {
    const station = this.station as Station;
    const { kind } = station.row;
    if (kind !== "observe" && kind !== "shutdown") return this.visited().feeder.hand();
    this.observed = observedBy(station, this.event);
    return this.observed;
  }

  private retry(failed: Attempt): Attempt {
    const next = new Attempt(this, failed.hook, failed.pass, failed.nth + 1);
    if (failed.stderr !== "") next.note(failed.stderr, failed.isForeign);
    this.rare?.together?.retry(failed, next);
    return next;
  }

  /** Starts every handler of a parallel station; false while any is waited for. */
  private askTogether(station: Station, first: Hook): boolean {
    const attempts: Attempt[] = [];
    for (let hook: Hook | undefined = first; hook !== undefined; hook = this.next(station)) {
      if (hook.match === undefined || this.matches(hook))
        attempts.push(new Attempt(this, hook, this.standing?.pass ?? 1, 1));
    }
    const together = new Together(attempts);
    this.rarely().together = together;
    // On which nobody waits, so that the sweep finds them all.
    this.ownLine ??= this.deadlines.line(this);
    for (const attempt of together.attempts) if (this.ask(attempt) === undefined) together.await();
    return this.joined(together);
  }

  /** Takes in an attempt that was waited for; false while there is more to wait for. */
  private settled(attempt: Attempt): boolean {
    const last = attempt.failure === undefined ? attempt : this.failed(attempt);
    if (last === undefined) return false;
    if (this.rare?.together !== undefined) return this.joined(this.rare.together);
    this.take(last);
    return true;
  }

  private joined(together: Together): boolean {
    if (!together.joined()) return false;
    this.rarely().together = undefined;
    for (const attempt of together.attempts) this.take(attempt);
    return true;
  }

  private take(attempt: Attempt): void {
    if (!attempt.quiet || this.tellsAll) this.told().take(this.visited(), attempt);
  }

  private visited(): Visit {
    this.visit ??= new Visit(this.station as Station, this.event, this.tellsAll);
    return this.visit;
  }

  /** A list that stays as it is. */
  private waiting(): readonly Attempt[] {
    return this.rare?.together?.attempts ?? (this.current === undefined ? [] : [this.current]);
  }

  private told(): Standing {
    return (this.standing ??= new Standing(this.plan, this.payload, this.context, this.accept));
  }

  private end(resolve: (outcome: Outcome) => void): void {
    this.resolve = undefined;
    this.rare?.unlisten();
    this.deadlines.free(this.ownLine);
    const own = this.outcome();
    const outcome = this.context.ended?.(this.plan, own) ?? own;
    if (resolve === WITH_THE_WAIT) this.waited = outcome;
    else resolve(outcome);
  }

  private outcome(): Outcome {
    const ms = this.rare?.ms ?? 0;
    if (this.context.trace || this.standing !== undefined) return this.told().outcome(ms);
    return ms === 0 ? NOBODY : { ...NOBODY, ms };
  }
}
