import type { Diagnostic } from "../error/diagnostic.ts";
import { messageOf } from "../error/error.ts";
import type { Hook } from "../hook/hook.ts";
import type { Plan, Station } from "../hook/lane.ts";
import { Ask, type Asker } from "./ask.ts";
import type { Accept, DispatchContext } from "./context.ts";
import type { Waiting } from "./deadline.ts";
import { EventState } from "./event-state.ts";
import type { LaneRun } from "./lane-run.ts";
import type { Outcome } from "./outcome.ts";

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
  return new Dispatch(plan, payload as Fields, context, signal, accept).run();
}

class Dispatch implements Asker, Waiting {
  declare readonly signal: AbortSignal | undefined;
  declare private readonly context: DispatchContext;
  declare private readonly plan: Plan;
  declare private readonly event: EventState;
  declare private readonly loop: Iterator<void, void>;
  /** Those who were asked last, and how many of them are waited for; while they are being asked, one more. */
  declare private asks: Ask[];
  declare private pending: number;
  declare private station: Station;
  /** Whether the deadlines know of it, and whether the loop has ended. */
  declare private isWatched: boolean;
  declare private isOver: boolean;
  declare private answered: Map<string, unknown> | undefined;
  /** The first reading of the clock, and the last. */
  declare private from: number | undefined;
  declare private to: number;
  private resolve: ((outcome: Outcome) => void) | undefined;

  constructor(plan: Plan, payload: Fields, context: DispatchContext, signal?: AbortSignal, accept?: Accept) {
    this.signal = signal;
    this.context = context;
    this.plan = plan;
    this.event = new EventState(plan, payload, context, accept);
    this.asks = [];
    this.pending = 0;
    this.station = plan.stations[0] as Station;
    this.isWatched = false;
    this.isOver = false;
    this.answered = undefined;
    this.from = undefined;
    this.to = 0;
    this.resolve = undefined;
    this.loop = this.ask();
  }

  /** The loop. It stops at its `yield` until those who were asked have settled. */
  private *ask(): Generator<void, void> {
    for (let lane = this.enter(); lane !== undefined; lane = this.enter()) {
      for (;;) {
        if (this.signal?.aborted) this.event.abort();
        this.asks = this.next(lane);
        if (this.asks.length === 0 && !this.event.agree(lane)) break;
        if (!this.start(this.asks)) yield;
        if (lane.broken !== undefined) throw lane.broken.thrown;
        for (const ask of this.asks) this.event.take(lane, ask);
      }
      this.event.close(lane);
    }
  }

  /** The next lane whose event this is; after the last one, those who must be asked again about what has changed. */
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

  /** Whom to ask now: the next hook; of a parallel row all that are left. */
  private next(lane: LaneRun): Ask[] {
    const asks: Ask[] = [];
    while (!this.event.isOver) {
      const hook = lane.next();
      if (hook === undefined) break;
      if (hook.match === undefined || this.matches(lane, hook)) asks.push(new Ask(hook, lane, this));
      if (asks.length > 0 && lane.row.schedule !== "parallel") break;
    }
    return asks;
  }

  private matches(lane: LaneRun, hook: Hook): boolean {
    try {
      if (hook.match?.(lane.event.peek() as never)) return true;
    } catch {
      // A matcher that cannot tell must not open a guard.
      return true;
    }
    this.event.skip(lane, hook);
    return false;
  }

  /** Starts the handlers; false where some are waited for. */
  private start(asks: readonly Ask[]): boolean {
    this.pending = 1;
    // By place, because a failed one may be replaced by the next attempt.
    for (let i = 0; i < asks.length; i++) if (!(asks[i] as Ask).start()) this.pending += 1;
    this.pending -= 1;
    return this.pending === 0;
  }

  // ---- waiting

  run(): Outcome | Promise<Outcome> {
    if (this.goOn()) return this.end();
    const { signal } = this;
    const abort = signal === undefined || signal.aborted ? undefined : () => this.abort();
    if (abort !== undefined) signal?.addEventListener("abort", abort, { once: true });
    return new Promise((resolve) => {
      this.resolve = (outcome) => {
        if (abort !== undefined) signal?.removeEventListener("abort", abort);
        resolve(this.context.ended?.(this.plan, outcome) ?? outcome);
      };
    });
  }

  /** Runs the loop until somebody is waited for (false) or all is over (true). */
  private goOn(): boolean {
    try {
      return this.loop.next().done === true;
    } catch (thrown) {
      this.broke(thrown);
      return true;
    }
  }

  private abort(): void {
    for (const ask of [...this.asks]) ask.abort();
  }

  look(now: number): number {
    let next = Number.POSITIVE_INFINITY;
    for (const ask of [...this.asks]) next = Math.min(next, ask.look(now));
    return next;
  }

  // ---- Asker

  moved(due: number | undefined): void {
    if (this.isOver) return;
    const { deadlines } = this.context;
    if (this.isWatched) deadlines.moved(due);
    else {
      this.isWatched = true;
      deadlines.watch(this, due);
    }
  }

  retry(failed: Ask, next: Ask): void {
    this.asks[this.asks.indexOf(failed)] = next;
  }

  settled(): void {
    this.pending -= 1;
    if (this.pending === 0 && !this.isOver && this.goOn()) this.resolve?.(this.end());
  }

  get dialogs(): Map<string, unknown> {
    return (this.answered ??= new Map());
  }

  get isExact(): boolean {
    return this.context.trace;
  }

  now(): number {
    this.to = this.context.clock.now();
    this.from ??= this.to;
    return this.to;
  }

  notice(hook: Hook, text: string): void {
    this.event.notice(hook, text);
  }

  report(diagnostic: Diagnostic): void {
    try {
      this.context.report(diagnostic);
    } catch {
      // A listener's fault changes nothing.
    }
  }

  // ---- the end

  private broke(thrown: unknown): void {
    this.event.broke(this.station, { cause: "engine", message: messageOf(thrown), error: thrown });
  }

  private end(): Outcome {
    this.isOver = true;
    if (this.isWatched) this.context.deadlines.forget(this);
    return this.event.outcome(this.to - (this.from ?? this.to));
  }
}
