import type { Diagnostic, Fields } from "@hookline/ground";
import { messageOf } from "@hookline/ground";
import type { Hook } from "../hook/hook.ts";
import type { Plan, Station } from "../hook/lane.ts";
import { Ask } from "./ask.ts";
import type { Accept, DispatchContext } from "./context.ts";
import type { Waiting } from "./deadline.ts";
import { EventState } from "./event-state.ts";
import type { LaneRun } from "./lane-run.ts";
import type { ObservedDispatch } from "./observer.ts";
import type { Outcome } from "./outcome.ts";

/**
 * Asks the hooks of one event, lane by lane, and folds their answers: the only dispatch loop.
 *
 * Returns the outcome synchronously if every handler answers synchronously. `signal` and `accept` are for this dispatch
 * only; `accept` is called with the judged value, such as a call's arguments, each time that a hook has changed it.
 */
export function dispatch(
  plan: Plan,
  payload: object,
  context: DispatchContext,
  signal: AbortSignal | undefined = context.signal,
  accept?: Accept,
): Outcome | Promise<Outcome> {
  return new Dispatch(plan, payload as Fields, context, signal, accept).run();
}

/** One running dispatch. */
export class Dispatch implements Waiting {
  readonly signal: AbortSignal | undefined;
  /** The telemetry of this dispatch; `undefined` if there is no observer. */
  readonly observed: ObservedDispatch | undefined;
  private readonly context: DispatchContext;
  private readonly plan: Plan;
  private readonly event: EventState;
  /** The lane that is being asked; `undefined` between lanes, and before the first and after the last one. */
  private lane: LaneRun | undefined;
  /** The attempts that were started last. */
  private asks: Ask[] = [];
  /** The number of pending attempts; 1 higher while attempts are started, so that the loop does not go on yet. */
  private pending = 0;
  private station: Station;
  /** Whether `deadlines` watches this dispatch. */
  private isWatched = false;
  private isOver = false;
  private answered: Map<string, unknown> | undefined;
  /** The error, if a retry could not be started; `ask` throws it. */
  private broken: { readonly thrown: unknown } | undefined;
  /** The first and the last reading of the clock in milliseconds. */
  private from: number | undefined;
  private to = 0;
  private resolve: ((outcome: Outcome) => void) | undefined;

  constructor(plan: Plan, payload: Fields, context: DispatchContext, signal?: AbortSignal, accept?: Accept) {
    this.signal = signal;
    this.context = context;
    this.plan = plan;
    this.station = plan.stations[0] as Station;
    this.event = new EventState(plan, payload, context, accept);
    this.observed = context.watched?.observer?.dispatch(plan, payload, context);
  }

  /** Asks until a hook is pending (returns false) or there is none left to ask (returns true). */
  private ask(): boolean {
    for (;;) {
      if (this.broken !== undefined) throw this.broken.thrown;
      const lane = (this.lane ??= this.enter());
      if (lane === undefined) return true;
      for (const ask of this.asks) {
        const status = this.event.take(lane, ask);
        this.observed?.ran(ask, status);
      }
      if (this.signal?.aborted) this.event.abort(lane);
      this.asks = this.next(lane);
      if (this.asks.length > 0) {
        if (!this.start()) return false;
      } else if (!this.event.agree(lane)) {
        this.event.close(lane);
        this.lane = undefined;
      }
    }
  }

  /** Enters the next lane that has this event; after the last one, the stations of guards that must be asked again. */
  private enter(): LaneRun | undefined {
    for (let station = this.event.next(); station !== undefined; station = this.event.next()) {
      this.station = station;
      try {
        const lane = this.event.enter(station, station.row.budgetMs === undefined ? 0 : this.now());
        if (lane !== undefined) return lane;
      } catch (thrown) {
        this.broke(thrown);
      }
    }
    return undefined;
  }

  /** Returns the attempts to start now: the next hook's, or those of all remaining hooks in a parallel row. */
  private next(lane: LaneRun): Ask[] {
    let asks: Ask[] | undefined;
    while (!this.event.isOver) {
      const hook = lane.next();
      if (hook === undefined) break;
      if (hook.match !== undefined && !this.matches(lane, hook)) continue;
      const ask = new Ask(hook, lane, this);
      if (lane.row.schedule !== "parallel") return [ask];
      (asks ??= []).push(ask);
    }
    return asks ?? [];
  }

  private matches(lane: LaneRun, hook: Hook): boolean {
    try {
      if (hook.match?.(lane.event.peek() as never)) return true;
    } catch {
      // A matcher that throws must not let an event past a guard.
      return true;
    }
    this.event.skip(lane, hook);
    return false;
  }

  /** Starts the attempts; returns false if some are pending. */
  private start(): boolean {
    this.pending = 1;
    for (let at = 0; at < this.asks.length; at++) if (!this.startOne(at)) this.pending += 1;
    this.pending -= 1;
    return this.pending === 0;
  }

  /** Starts one attempt, and its retries after failures; returns false if one is pending. */
  private startOne(at: number): boolean {
    do if (!(this.asks[at] as Ask).start()) return false;
    while (this.retry(at));
    return true;
  }

  /** Replaces a failed attempt by its retry; returns false if there is none. */
  private retry(at: number): boolean {
    const failed = this.asks[at] as Ask;
    const next = failed.again();
    if (next === undefined) return false;
    this.observed?.ran(failed, failed.failure?.cause === "timeout" ? "timed-out" : "failed");
    this.asks[at] = next;
    return true;
  }

  run(): Outcome | Promise<Outcome> {
    if (this.goOn()) return this.end();
    const { signal } = this;
    const abort = signal === undefined || signal.aborted ? undefined : () => this.abort();
    if (abort !== undefined) signal?.addEventListener("abort", abort, { once: true });
    return new Promise((resolve) => {
      this.resolve = (outcome) => {
        if (abort !== undefined) signal?.removeEventListener("abort", abort);
        resolve(this.context.ended?.(this.plan, outcome, this.context.scene) ?? outcome);
      };
    });
  }

  /** Runs the loop until a hook is pending (returns false) or the loop has ended (returns true). */
  private goOn(): boolean {
    try {
      return this.ask();
    } catch (thrown) {
      this.broke(thrown);
      return true;
    }
  }

  private abort(): void {
    for (const ask of [...this.asks]) ask.abort();
  }

  look(now: number): number {
    return Math.min(...this.asks.map((ask) => ask.look(now)));
  }

  waitsFor(): readonly Ask[] {
    return this.asks.filter((ask) => ask.isPending);
  }

  /** Notes a pending handler's new deadline; `due` is `undefined` if the handler's start time is not known yet. */
  moved(due: number | undefined): void {
    if (this.isOver) return;
    const { deadlines } = this.context;
    if (this.isWatched) deadlines.moved(due);
    else {
      this.isWatched = true;
      deadlines.watch(this, due);
    }
  }

  /** Notes that a pending handler has settled, and continues the loop when none is pending. */
  settled(ask: Ask): void {
    if (this.isOver) return;
    try {
      const at = this.asks[0] === ask ? 0 : this.asks.indexOf(ask);
      if (this.retry(at) && !this.startOne(at)) return;
    } catch (thrown) {
      this.broken = { thrown };
    }
    this.pending -= 1;
    if (this.pending === 0 && this.goOn()) this.resolve?.(this.end());
  }

  /** The answers that a person gave in dialogs during this dispatch. */
  get dialogs(): Map<string, unknown> {
    return (this.answered ??= new Map());
  }

  /** Whether every handler is timed, which a trace and an observer need. */
  get isExact(): boolean {
    return this.context.trace || this.observed !== undefined;
  }

  now(): number {
    this.to = this.context.clock.now();
    this.from ??= this.to;
    return this.to;
  }

  notice(lane: LaneRun, hook: Hook, text: string): void {
    this.event.notice(lane, hook, text);
  }

  report(diagnostic: Diagnostic): void {
    try {
      this.context.report(diagnostic);
    } catch {
      // A listener for diagnostics that throws must not change the dispatch.
    }
  }

  private broke(thrown: unknown): void {
    this.event.broke(this.station, { cause: "engine", message: messageOf(thrown), error: thrown });
  }

  private end(): Outcome {
    this.isOver = true;
    if (this.isWatched) this.context.deadlines.forget(this);
    this.context.final?.(this.event.payload);
    const outcome = this.event.outcome(this.to - (this.from ?? this.to));
    this.observed?.ended(outcome, this.event.payload);
    return outcome;
  }
}
