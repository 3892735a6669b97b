import { diagnose, place } from "@hookline/ground";
import type { Failure, ReadResult } from "../catalog/row.ts";
import type { Call } from "../hook/call.ts";
import type { Hook } from "../hook/hook.ts";
import type { Station } from "../hook/lane.ts";
import type { TraceContext } from "../port/trace-context.ts";
import type { Dispatch } from "./dispatch.ts";
import { failureOf, HookFailure, unreadable } from "./failure.ts";
import type { LaneRun } from "./lane-run.ts";

/** The time in milliseconds after which a handler without a time limit is reported as slow. */
const SLOW_MS = 5000;

type Read = Extract<ReadResult<unknown>, { readonly ok: true }>;

/** State of an ask that most asks do not need, in an object of its own to keep an ask small. */
class Rare {
  /** The number of the attempt: 1 for the first, 2 for the first retry. */
  nth = 1;
  /** Text that the handler wrote besides its answer. */
  stderr = "";
  /** Whether `stderr` contains third-party text, such as a model provider's, which is not shown to people. */
  isForeign = false;
  abort: AbortController | undefined;
  isToldSlow = false;
  /**
   * Pauses of the time limit, while a person is asked: the number of open ones, the start of the first of them, and the
   * length of all ended ones in milliseconds.
   */
  pauses = 0;
  pausedAt = 0;
  pausedMs = 0;
}

/**
 * One attempt to ask one hook, and the `Call` that its handler gets. Starts the handler, waits for it and reads its
 * answer. After a failure that may be retried, a new ask replaces this one.
 */
export class Ask implements Call {
  readonly hook: Hook;
  failure: Failure | undefined;
  /** The handler's run time in milliseconds. */
  ms = 0;
  /** The handler's answer as `row.read` returned it; must be ignored if `failure` is set. */
  said: Read | undefined;
  /** The start time. If the run is not timed, the first check of its deadline sets it. */
  since: number | undefined;
  private readonly lane: LaneRun;
  private readonly by: Dispatch;
  /** The state of the attempt; once it is "over", nothing that the handler does has any effect. */
  private state: "starts" | "waits" | "over" = "starts";
  private rare: Rare | undefined;

  constructor(hook: Hook, lane: LaneRun, by: Dispatch) {
    this.hook = hook;
    this.lane = lane;
    this.by = by;
  }

  /** Runs the handler; returns false if its answer is pending. Throws if the event cannot be copied for it. */
  start(): boolean {
    const { hook, lane, by } = this;
    const event = lane.event.hand();
    if (by.isExact || lane.row.budgetMs !== undefined || hook.timeoutMs !== undefined || hook.metrics.wantsTime) {
      this.since = by.now();
      if (lane.isLate(this.since)) return this.tooLate();
    }
    hook.metrics.runs += 1;
    let raw: unknown;
    let isAnswered = false;
    let promise: Promise<unknown> | undefined;
    try {
      if (hook.fault !== undefined) throw new HookFailure("engine", hook.fault, "GUARD_NOT_ALIVE");
      raw = hook.run(event as never, this);
      isAnswered = true;
      promise = promised(raw);
      if (promise !== undefined)
        void then.call(
          promise,
          (value) => this.answered(value),
          (thrown) => this.rejected(thrown),
        );
    } catch (thrown) {
      this.end(undefined, isAnswered ? unreadable(thrown, raw) : failureOf(thrown));
      return true;
    }
    if (promise === undefined) {
      this.end(raw, undefined);
      return true;
    }
    this.state = "waits";
    by.moved(this.due());
    // The handler itself may have aborted the dispatch.
    if (by.signal?.aborted) queueMicrotask(() => this.abort());
    return false;
  }

  get timeoutMs(): number {
    return this.hook.timeoutMs ?? this.lane.row.timeoutMs ?? Number.POSITIVE_INFINITY;
  }

  /** Whether the hook neither answered nor failed. */
  get isSilent(): boolean {
    return this.failure === undefined && this.said?.answer === undefined && this.said?.odd === undefined;
  }

  get stderr(): string {
    return this.rare?.stderr ?? "";
  }

  get isForeign(): boolean {
    return this.rare?.isForeign ?? false;
  }

  /** The station of the hook: the hooks that are asked with it, and their row. */
  get station(): Station {
    return this.lane.station;
  }

  /** Turns an answer that proved unusable into a failure. */
  spoil(failure: Failure): void {
    const { metrics } = this.hook;
    if (this.failure === undefined) {
      metrics.ok -= 1;
      metrics.failed += 1;
    }
    metrics.lastError = failure.message;
    this.failure = failure;
  }

  get pass(): 1 | 2 {
    return this.lane.pass;
  }

  get signal(): AbortSignal {
    const rare = this.rarely();
    if (rare.abort === undefined) {
      rare.abort = new AbortController();
      if (this.failure?.cause === "timeout" || this.by.signal?.aborted) rare.abort.abort(this.reason());
    }
    return rare.abort.signal;
  }

  get dialogs(): Map<string, unknown> {
    return this.by.dialogs;
  }

  get trace(): TraceContext | undefined {
    return this.by.observed?.context(this);
  }

  pause(): () => void {
    if (this.state === "over") return () => {};
    const rare = this.rarely();
    if (rare.pauses++ === 0) rare.pausedAt = this.by.now();
    this.since ??= rare.pausedAt;
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      if (--rare.pauses === 0) rare.pausedMs += this.by.now() - rare.pausedAt;
      if (this.state === "waits") this.by.moved(this.due());
    };
  }

  notice(text: string): void {
    if (this.state !== "over") this.by.notice(this.lane, this.hook, text);
  }

  note(stderr: string, isForeign = false): void {
    if (this.state === "over") return;
    const rare = this.rarely();
    if (rare.stderr !== "" && !rare.stderr.endsWith("\n")) rare.stderr += "\n";
    rare.stderr += stderr;
    rare.isForeign ||= isForeign;
  }

  get isPending(): boolean {
    return this.state === "waits";
  }

  /** Ends the wait because a person asked for it. Counts as a timeout and is not retried. */
  giveUp(): void {
    if (this.state !== "waits") return;
    this.rarely().nth = Number.POSITIVE_INFINITY;
    const message = "a person ended it";
    this.leave({ cause: "timeout", message, error: new HookFailure("timeout", message, "HOOK_ENDED") });
  }

  /**
   * Returns the deadline; `Infinity` while a person is being asked or nothing is pending, `undefined` if the start is
   * not known.
   */
  due(): number | undefined {
    if (this.since === undefined) return undefined;
    const rare = this.rare;
    if (this.state !== "waits" || (rare !== undefined && rare.pauses > 0)) return Number.POSITIVE_INFINITY;
    const began = this.since + (rare?.pausedMs ?? 0);
    const { timeoutMs } = this;
    if (timeoutMs !== Number.POSITIVE_INFINITY) return began + timeoutMs;
    return rare?.isToldSlow ? Number.POSITIVE_INFINITY : began + SLOW_MS;
  }

  /** Checks the deadline at time `now`; returns the next deadline. */
  look(now: number): number {
    if (this.state === "waits") this.since ??= now;
    if ((this.due() ?? Number.POSITIVE_INFINITY) <= now) this.overdue();
    return this.due() ?? Number.POSITIVE_INFINITY;
  }

  private overdue(): void {
    const { timeoutMs } = this;
    if (timeoutMs === Number.POSITIVE_INFINITY) {
      this.rarely().isToldSlow = true;
      this.tell("HOOK_SLOW", { seconds: SLOW_MS / 1000 });
    } else this.leave({ cause: "timeout", message: `no answer within ${timeoutMs} ms` });
  }

  /** Ends the wait because the dispatch was aborted. */
  abort(): void {
    if (this.state === "waits") this.leave({ cause: "aborted", message: "aborted" });
  }

  /** Stops waiting for a handler that keeps running: nothing that it says or does from now on has any effect. */
  private leave(failure: Failure): void {
    this.state = "over";
    this.failure = failure;
    this.lane.event.detach();
    this.rare?.abort?.abort(this.reason());
    this.end(undefined, failure);
    this.by.settled(this);
  }

  private answered(value: unknown): void {
    if (this.state === "waits") {
      this.end(value, undefined);
      this.by.settled(this);
    } else if (this.failure?.cause === "timeout") this.tell("HOOK_LATE", {});
  }

  private rejected(thrown: unknown): void {
    if (this.state === "waits") {
      this.end(undefined, failureOf(thrown));
      this.by.settled(this);
      // A handler that rejects with the signal's reason has stopped as it was told to, so that is not reported.
    } else if (this.failure?.cause === "timeout" && thrown !== this.rare?.abort?.signal.reason)
      this.tell("HOOK_LATE_ERROR", { path: this.hook.path, problem: failureOf(thrown).message });
  }

  private end(raw: unknown, failure: Failure | undefined): void {
    const { metrics } = this.hook;
    this.state = "over";
    const timedMs = this.since === undefined ? undefined : this.by.now() - this.since;
    this.failure = failure;
    if (failure === undefined) this.read(raw);
    this.ms = metrics.add(timedMs, this.isSilent);
    if (this.failure === undefined) metrics.ok += 1;
    else this.count(this.failure);
  }

  private read(raw: unknown): void {
    try {
      const read = this.lane.row.read(raw);
      if (read.ok) {
        this.said = read;
        if (read.notice !== undefined && this.pass === 1) this.by.notice(this.lane, this.hook, read.notice);
      } else this.failure = { cause: "bad", message: read.problem, ...(read.rewrite && { rewrite: true }) };
    } catch (thrown) {
      this.failure = unreadable(thrown, raw);
    }
  }

  /** Returns the next attempt, if this one has failed and may be retried. */
  again(): Ask | undefined {
    const { failure, rare } = this;
    const nth = rare?.nth ?? 1;
    if (failure === undefined || nth > this.hook.retry || this.by.signal?.aborted) return undefined;
    if (failure.cause === "engine" || failure.cause === "aborted" || failure.cause === "chain") return undefined;
    const next = new Ask(this.hook, this.lane, this.by);
    next.rarely().nth = nth + 1;
    if (this.stderr !== "") next.note(this.stderr, this.isForeign);
    return next;
  }

  /** Ends the attempt because the lane's time budget was used up before it could start. */
  private tooLate(): true {
    this.state = "over";
    this.failure = { cause: "chain", message: "the chain limit was reached" };
    // A retry that never starts is no further failure: the attempt before it has already been counted.
    if ((this.rare?.nth ?? 1) === 1) this.count(this.failure);
    return true;
  }

  private count({ cause, message }: Failure): void {
    const { metrics } = this.hook;
    metrics.failed += 1;
    if (cause === "timeout") metrics.timedOut += 1;
    metrics.lastError = message;
  }

  private reason(): DOMException | undefined {
    if (this.failure === undefined) return undefined;
    return new DOMException(this.failure.message, this.failure.cause === "timeout" ? "TimeoutError" : "AbortError");
  }

  private rarely(): Rare {
    return (this.rare ??= new Rare());
  }

  private tell(code: "HOOK_SLOW" | "HOOK_LATE" | "HOOK_LATE_ERROR", details: Record<string, string | number>): void {
    const { hook } = this;
    const about = { hook: hook.id, place: place(hook.source), event: hook.event, ...details };
    this.by.report(diagnose(code, about, { source: hook.source, hook: hook.id, event: hook.event }));
  }
}

/** The engine's own `then`, because a hook's promise may have one that calls back twice, or synchronously. */
const { then } = Promise.prototype;

/**
 * Returns the promise to wait for, by the rules of `await`; `undefined` if there is none. Throws if reading `then`
 * throws.
 */
function promised(value: unknown): Promise<unknown> | undefined {
  if ((typeof value !== "object" || value === null) && typeof value !== "function") return undefined;
  const own: unknown = (value as { then?: unknown }).then;
  if (own === then) return value as Promise<unknown>;
  return typeof own === "function" ? Promise.resolve(value) : undefined;
}
