import type { Failure, Odd, ReadResult } from "../catalog/row.ts";
import { type Diagnostic, diagnose, place } from "../error/diagnostic.ts";
import type { Call } from "../hook/call.ts";
import type { Hook } from "../hook/hook.ts";
import { addTime, wantsTime } from "../hook/metrics.ts";
import { failureOf, unreadable } from "./failure.ts";
import type { LaneRun } from "./lane-run.ts";

/** A handler without a time limit is named after this long. */
const SLOW_MS = 5000;

/** The dispatch that asks. */
export interface Asker {
  readonly signal: AbortSignal | undefined;
  /** Answers that a person gave during this dispatch, by dialog. */
  readonly dialogs: Map<string, unknown>;
  /** Whether every handler is timed. */
  readonly isExact: boolean;
  now(): number;
  /** Told of the attempt that is made after a failed one. */
  retry(failed: Ask, next: Ask): void;
  /** Told when a handler is due that is waited for; `undefined` while that is not known. */
  moved(due: number | undefined): void;
  /** Told that one that was waited for has settled. */
  settled(): void;
  notice(hook: Hook, text: string): void;
  report(diagnostic: Diagnostic): void;
}

/** An answer that could be read. */
type Read = Extract<ReadResult<unknown>, { readonly ok: true }>;

/** What few asks have. */
interface Rare {
  nth: number;
  /** What the handler wrote beside its answer. */
  stderr: string;
  /** Whether that holds somebody else's words, such as those of a model's provider, which no person is shown. */
  isForeign: boolean;
  abort: AbortController | undefined;
  isToldSlow: boolean;
  /** Pauses that have not ended, when the first of them began, and how long those took that have ended. */
  pauses: number;
  pausedAt: number;
  pausedMs: number;
}

/**
 * One hook that is asked once, as its handler sees it: the handler is started and waited for, its answer is read. After a
 * failure that may be mended the hook is asked again, by an ask of its own that takes this one's place.
 *
 * Fields are declared here and set by the constructor alone, because one of these is made for every handler and V8 runs
 * a function of its own for fields of any other kind.
 */
export class Ask implements Call {
  declare readonly hook: Hook;
  declare failure: Failure | undefined;
  /** How long the handler took. */
  declare ms: number;
  declare private readonly lane: LaneRun;
  declare private readonly by: Asker;
  /** The answer as the row reads it, where it could be read. */
  declare private said: Read | undefined;
  /** Absent where the run is not timed; then the first look at the deadlines that sees it counts. */
  declare private startedAt: number | undefined;
  /** When it is over, nothing that the handler does has an effect any more. */
  declare private state: "starts" | "waits" | "over";
  declare private rare: Rare | undefined;

  constructor(hook: Hook, lane: LaneRun, by: Asker) {
    this.hook = hook;
    this.failure = undefined;
    this.ms = 0;
    this.lane = lane;
    this.by = by;
    this.said = undefined;
    this.startedAt = undefined;
    this.state = "starts";
    this.rare = undefined;
  }

  /** Runs the handler; false where it is waited for. Throws what making the event throws. */
  start(): boolean {
    const event = this.lane.hand();
    const { metrics, timeoutMs } = this.hook;
    if (this.by.isExact || this.lane.hasBudget || timeoutMs !== undefined || wantsTime(metrics)) {
      this.startedAt = this.by.now();
      if (this.lane.isLate(this.startedAt)) return this.tooLate();
    }
    metrics.runs += 1;
    let raw: unknown;
    let isAnswered = false;
    try {
      raw = this.hook.run(event as never, this);
      isAnswered = true;
      const promise = promised(raw);
      if (promise === undefined) return this.end(raw, undefined);
      void then.call(
        promise,
        (value) => this.answered(value),
        (thrown) => this.rejected(thrown),
      );
    } catch (thrown) {
      return this.end(undefined, isAnswered ? unreadable(thrown, raw) : failureOf(thrown));
    }
    this.state = "waits";
    this.by.moved(this.due());
    // The handler itself may have aborted the dispatch.
    if (this.by.signal?.aborted) queueMicrotask(() => this.abort());
    return false;
  }

  // ---- what it came to

  get timeoutMs(): number {
    return this.hook.timeoutMs ?? this.lane.row.timeoutMs ?? Number.POSITIVE_INFINITY;
  }

  /** Whether the hook had nothing to say. */
  get isSilent(): boolean {
    return this.failure === undefined && this.said?.answer === undefined && this.said?.odd === undefined;
  }

  /** The answer; counts where there is no failure. */
  get answer(): unknown {
    return this.said?.answer;
  }

  /** The answer's fields that have no effect. */
  get odd(): readonly Odd[] | undefined {
    return this.said?.odd;
  }

  /** Whether no part of the answer is in the hook's reach any more. */
  get isPrivate(): boolean {
    return this.said?.isPrivate === true;
  }

  /** 1 for the first attempt, 2 for the first retry. */
  private get nth(): number {
    return this.rare?.nth ?? 1;
  }

  get stderr(): string {
    return this.rare?.stderr ?? "";
  }

  get isForeign(): boolean {
    return this.rare?.isForeign ?? false;
  }

  /** Makes a failure of an answer that turned out to be of no use. */
  spoil(failure: Failure): void {
    const { metrics } = this.hook;
    if (this.failure === undefined) {
      metrics.ok -= 1;
      metrics.failed += 1;
    }
    metrics.lastError = failure.message;
    this.failure = failure;
  }

  // ---- what the handler may do

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

  pause(): () => void {
    if (this.state === "over") return () => {};
    const rare = this.rarely();
    if (rare.pauses++ === 0) rare.pausedAt = this.by.now();
    this.startedAt ??= rare.pausedAt;
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      if (--rare.pauses === 0) rare.pausedMs += this.by.now() - rare.pausedAt;
      if (this.state === "waits") this.by.moved(this.due());
    };
  }

  notice(text: string): void {
    if (this.state !== "over") this.by.notice(this.hook, text);
  }

  note(stderr: string, isForeign = false): void {
    if (this.state === "over") return;
    const rare = this.rarely();
    if (rare.stderr !== "" && !rare.stderr.endsWith("\n")) rare.stderr += "\n";
    rare.stderr += stderr;
    rare.isForeign ||= isForeign;
  }

  // ---- waiting

  /** When its time is over; `Infinity` while a person is asked, and where nobody waits for it. */
  due(): number | undefined {
    if (this.startedAt === undefined) return undefined;
    const rare = this.rare;
    if (this.state !== "waits" || (rare !== undefined && rare.pauses > 0)) return Number.POSITIVE_INFINITY;
    const began = this.startedAt + (rare?.pausedMs ?? 0);
    const { timeoutMs } = this;
    if (timeoutMs !== Number.POSITIVE_INFINITY) return began + timeoutMs;
    return rare?.isToldSlow ? Number.POSITIVE_INFINITY : began + SLOW_MS;
  }

  /** Told the time while it may be waited for; gives when it is due next. */
  look(now: number): number {
    if (this.state === "waits") this.startedAt ??= now;
    if ((this.due() ?? Number.POSITIVE_INFINITY) <= now) this.overdue(this.timeoutMs);
    return this.due() ?? Number.POSITIVE_INFINITY;
  }

  private overdue(timeoutMs: number): void {
    if (timeoutMs !== Number.POSITIVE_INFINITY) {
      this.leave({ cause: "timeout", message: `no answer within ${timeoutMs} ms` });
      return;
    }
    this.rarely().isToldSlow = true;
    this.tell("HOOK_SLOW", { seconds: SLOW_MS / 1000 });
  }

  /** Ends the wait because the dispatch was aborted. */
  abort(): void {
    if (this.state === "waits") this.leave({ cause: "aborted", message: "aborted" });
  }

  /** Gives up waiting for a handler that runs on: what it says or does from here on changes nothing. */
  private leave(failure: Failure): void {
    this.state = "over";
    this.failure = failure;
    this.lane.detach();
    this.rare?.abort?.abort(this.reason());
    if (this.end(undefined, failure)) this.by.settled();
  }

  private answered(value: unknown): void {
    if (this.state === "waits") {
      if (this.end(value, undefined)) this.by.settled();
    } else if (this.failure?.cause === "timeout") this.tell("HOOK_LATE", {});
  }

  private rejected(thrown: unknown): void {
    if (this.state === "waits") {
      if (this.end(undefined, failureOf(thrown))) this.by.settled();
      // A handler that rejects with the signal's own reason has obeyed it.
    } else if (this.failure?.cause === "timeout" && thrown !== this.rare?.abort?.signal.reason)
      this.tell("HOOK_LATE_ERROR", { path: this.hook.path, problem: failureOf(thrown).message });
  }

  // ---- the end

  /** Takes in what came of the handler; false where the hook is asked again and waited for. */
  private end(raw: unknown, failure: Failure | undefined): boolean {
    const { metrics } = this.hook;
    this.state = "over";
    this.ms = addTime(metrics, this.startedAt === undefined ? undefined : this.by.now() - this.startedAt);
    this.failure = failure;
    if (failure === undefined) this.read(raw);
    if (!this.isSilent) metrics.quickMs = undefined;
    if (this.failure === undefined) {
      metrics.ok += 1;
      return true;
    }
    this.count(this.failure);
    return !this.mayRetry(this.failure) || this.retry();
  }

  private read(raw: unknown): void {
    try {
      const read = this.lane.read(raw);
      if (read.ok) {
        this.said = read;
        if (read.notice !== undefined && this.pass === 1) this.by.notice(this.hook, read.notice);
      } else this.failure = { cause: "bad", message: read.problem, ...(read.rewrite && { rewrite: true }) };
    } catch (thrown) {
      this.failure = unreadable(thrown, raw);
    }
  }

  private mayRetry({ cause }: Failure): boolean {
    if (this.nth > this.hook.retry || this.by.signal?.aborted) return false;
    return cause !== "engine" && cause !== "aborted" && cause !== "chain";
  }

  private retry(): boolean {
    const next = new Ask(this.hook, this.lane, this.by);
    next.rarely().nth = this.nth + 1;
    if (this.stderr !== "") next.note(this.stderr, this.isForeign);
    this.by.retry(this, next);
    try {
      return next.start();
    } catch (thrown) {
      this.lane.broken = { thrown };
      return true;
    }
  }

  /** The lane's own time is used up before this one could start. */
  private tooLate(): true {
    this.state = "over";
    this.failure = { cause: "chain", message: "the chain limit was reached" };
    // Of a retry that is not made, the failure before it was counted.
    if (this.nth === 1) this.count(this.failure);
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
    return (this.rare ??= {
      nth: 1,
      stderr: "",
      isForeign: false,
      abort: undefined,
      isToldSlow: false,
      pauses: 0,
      pausedAt: 0,
      pausedMs: 0,
    });
  }

  private tell(code: "HOOK_SLOW" | "HOOK_LATE" | "HOOK_LATE_ERROR", details: Record<string, string | number>): void {
    const { hook } = this;
    const about = { hook: hook.id, place: place(hook.source), event: hook.event, ...details };
    this.by.report(diagnose(code, about, { source: hook.source, hook: hook.id, event: hook.event }));
  }
}

/** The engine's own `then`: one that a promise brings along may call back twice, or at once. */
const { then } = Promise.prototype;

/** What is to be waited for, if anything is, as `await` decides it. May throw what a getter throws. */
function promised(value: unknown): Promise<unknown> | undefined {
  if ((typeof value !== "object" || value === null) && typeof value !== "function") return undefined;
  const own: unknown = (value as { then?: unknown }).then;
  if (own === then) return value as Promise<unknown>;
  return typeof own === "function" ? Promise.resolve(value) : undefined;
}
