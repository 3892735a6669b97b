import type { Failure, Odd, Shown } from "../catalog/row.ts";
import { type Diagnostic, diagnose, place } from "../error/diagnostic.ts";
import type { Call } from "../hook/call.ts";
import type { Hook } from "../hook/hook.ts";
import type { LaneRow } from "../hook/lane.ts";
import { addTime, wantsTime } from "../hook/metrics.ts";
import type { Deadlines } from "./deadline.ts";
import { failureOf, unreadable } from "./failure.ts";
import { type Answered, promised } from "./line.ts";
import { Pauses } from "./pause.ts";
import type { Rare } from "./rare.ts";

/** A handler without a time limit is named after this long. */
const SLOW_MS = 5000;

/** The dispatch that an attempt belongs to. */
export interface AttemptOwner {
  readonly deadlines: Deadlines;
  readonly signal: AbortSignal | undefined;
  /** The row whose hooks are asked at the moment. */
  readonly row: LaneRow;
  /** What they were shown, where a copy was made of it. */
  readonly shown: Shown | undefined;
  /** Whether every handler is timed. */
  readonly exact: boolean;
  /** What few dispatches have: the clock's readings, dialogs. */
  rarely(): Rare;
  /** Has the attempt told, later, of what the promise comes to. */
  wait(attempt: Attempt, promise: Promise<unknown>): void;
  notice(hook: Hook, text: string): void;
  report(diagnostic: Diagnostic): void;
  /** Called when the attempt is no longer waited for although its handler still runs, before it is resumed. */
  left(attempt: Attempt): void;
  /** Called when an attempt that was waited for has settled. */
  resume(attempt: Attempt): void;
}

/** What few handlers use. */
interface Used {
  stderr: string;
  isForeign: boolean;
  odd: readonly Odd[] | undefined;
  pauses: Pauses | undefined;
  abort: AbortController | undefined;
  slowTold: boolean;
  /** Where the run is timed. */
  timing: Timing | undefined;
}

/** Readings of the clock, in ms. */
interface Timing {
  readonly startedAt: number;
  endedAt: number | undefined;
  /** Whether the start is that of the first sweep that saw the attempt. */
  readonly stamped: boolean;
}

const WAITING = 1;
const OVER = 2;
const SECOND_PASS = 4;
/** From here on: which attempt it is. */
const RETRIES = 8;

/**
 * One hook asked once: runs the handler, keeps its clock, reads nothing into what it says.
 *
 * Fields are declared, and set by the constructor alone: V8 calls a function of its own for fields of any other kind.
 * An attempt is made for every handler, and writing to new memory is much of what that costs, so they are few.
 */
export class Attempt implements Call, Answered {
  declare readonly hook: Hook;
  /** The answer as the row reads it; meaningful when `failure` is absent. */
  declare answer: unknown;
  declare failure: Failure | undefined;
  declare private readonly owner: AttemptOwner;
  declare private rare: Used | undefined;
  /** Bits: see `WAITING` and the following. */
  declare private marks: number;

  constructor(owner: AttemptOwner, hook: Hook, pass: 1 | 2, nth: number) {
    this.owner = owner;
    this.hook = hook;
    this.answer = undefined;
    this.failure = undefined;
    this.rare = undefined;
    this.marks = nth * RETRIES + (pass === 2 ? SECOND_PASS : 0);
  }

  get pass(): 1 | 2 {
    return (this.marks & SECOND_PASS) === 0 ? 1 : 2;
  }

  /** 1 for the first attempt, 2 for the first retry. */
  get nth(): number {
    return Math.floor(this.marks / RETRIES);
  }

  /** Whether it has settled, or nobody waits for it any more. */
  private get over(): boolean {
    return (this.marks & OVER) !== 0;
  }

  private get waiting(): boolean {
    return (this.marks & (WAITING | OVER)) === WAITING;
  }

  private get timing(): Timing | undefined {
    return this.rare?.timing;
  }

  get timeoutMs(): number {
    return this.hook.timeoutMs ?? this.owner.row.timeoutMs ?? Number.POSITIVE_INFINITY;
  }

  /** How long it took, in ms; 0 where it was too quick to be timed. */
  get ms(): number {
    const { timing } = this;
    return timing?.endedAt === undefined ? 0 : timing.endedAt - timing.startedAt;
  }

  /** Names of the answer's fields that have no effect. */
  get odd(): readonly Odd[] | undefined {
    return this.rare?.odd;
  }

  get stderr(): string {
    return this.rare?.stderr ?? "";
  }

  /** Whether what it wrote are the words of somebody else, such as a model's provider, which no person is shown. */
  get isForeign(): boolean {
    return this.rare?.isForeign ?? false;
  }

  /** Whether there is nothing to take in. In two steps, each so short that V8 puts it wherever it is asked. */
  get quiet(): boolean {
    return this.answer === undefined && this.isSound;
  }

  private get isSound(): boolean {
    return this.failure === undefined && this.rare?.odd === undefined;
  }

  /** Runs the handler. True when it settled at once; otherwise the owner is resumed later. */
  start(event: unknown): boolean {
    const { hook, owner } = this;
    const { metrics } = hook;
    if ((owner.exact || wantsTime(metrics)) && !this.begins()) return true;
    metrics.runs += 1;
    let raw: unknown;
    let hasAnswered = false;
    try {
      raw = hook.run(event as never, this);
      hasAnswered = true;
      const promise = promised(raw);
      if (promise !== undefined) {
        owner.wait(this, promise);
        this.marks |= WAITING;
        return false;
      }
      this.read(raw);
    } catch (thrown) {
      this.failure = hasAnswered ? unreadable(thrown, raw) : failureOf(thrown);
    }
    this.settle();
    return true;
  }

  /** Whether it failed in a way that another attempt may mend. */
  get mayRetry(): boolean {
    if (this.failure === undefined || this.nth > this.hook.retry || this.owner.signal?.aborted) return false;
    return this.failure.cause !== "engine" && this.failure.cause !== "aborted" && this.failure.cause !== "chain";
  }

  // ---- Call; for a handler whose time is over nothing of it has an effect

  get signal(): AbortSignal {
    const rare = this.rarely();
    if (rare.abort === undefined) {
      rare.abort = new AbortController();
      if (this.failure?.cause === "timeout" || this.owner.signal?.aborted) rare.abort.abort(this.reason());
    }
    return rare.abort.signal;
  }

  get dialogs(): Map<string, unknown> {
    return this.owner.rarely().dialogs;
  }

  pause(): () => void {
    if (this.over) return () => {};
    if (this.timing === undefined) this.begin();
    const rare = this.rarely();
    rare.pauses ??= new Pauses(() => this.owner.rarely().now());
    const end = rare.pauses.begin();
    return () => {
      end();
      if (this.waiting) this.owner.deadlines.moved(this.due());
    };
  }

  notice(text: string): void {
    if (!this.over) this.owner.notice(this.hook, text);
  }

  note(stderr: string, isForeign = false): void {
    if (this.over) return;
    const rare = this.rarely();
    if (rare.stderr !== "" && !rare.stderr.endsWith("\n")) rare.stderr += "\n";
    rare.stderr += stderr;
    rare.isForeign ||= isForeign;
  }

  // ---- waiting

  /** When it is due on the clock; `Infinity` while a person is being asked, `undefined` while it does not know. */
  due(): number | undefined {
    return this.rare === undefined ? undefined : this.dueBy(this.rare);
  }

  private dueBy({ timing, pauses }: Used): number | undefined {
    if (timing === undefined) return undefined;
    if (pauses?.open) return Number.POSITIVE_INFINITY;
    const { timeoutMs } = this;
    const began = timing.startedAt + (pauses?.totalMs ?? 0);
    if (timeoutMs !== Number.POSITIVE_INFINITY) return began + timeoutMs;
    return this.rare?.slowTold ? Number.POSITIVE_INFINITY : began + SLOW_MS;
  }

  /** Told the time while it is waited for; gives when it is due next. */
  sweep(now: number): number {
    if (!this.waiting) return Number.POSITIVE_INFINITY;
    this.rarely().timing ??= { startedAt: now, endedAt: undefined, stamped: true };
    if ((this.due() as number) <= now) this.overdue();
    return this.waiting ? (this.due() as number) : Number.POSITIVE_INFINITY;
  }

  private overdue(): void {
    const { timeoutMs } = this;
    if (timeoutMs !== Number.POSITIVE_INFINITY) {
      this.leave({ cause: "timeout", message: `no answer within ${timeoutMs} ms` });
      return;
    }
    this.rarely().slowTold = true;
    this.tell("HOOK_SLOW", { seconds: SLOW_MS / 1000 });
  }

  /** Ends the wait because the dispatch was aborted. */
  abort(): void {
    if (this.waiting) this.leave({ cause: "aborted", message: "aborted" });
  }

  /** The same, once what runs now has come to its end. */
  abortSoon(): void {
    queueMicrotask(() => this.abort());
  }

  // ---- Answered

  answered(value: unknown): void {
    if (this.over) {
      this.late();
      return;
    }
    try {
      this.read(value);
    } catch (thrown) {
      this.failure = unreadable(thrown, value);
    }
    this.settle();
    this.owner.resume(this);
  }

  rejected(thrown: unknown): void {
    if (this.over) {
      this.lateError(thrown);
      return;
    }
    this.failure = failureOf(thrown);
    this.settle();
    this.owner.resume(this);
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

  // ---- inner

  /** Gives the handler up: what it says or does from here on changes nothing. */
  private leave(failure: Failure): void {
    this.failure = failure;
    this.settle();
    this.owner.left(this);
    this.rare?.abort?.abort(this.reason());
    this.owner.resume(this);
  }

  private reason(): DOMException | undefined {
    if (this.failure === undefined) return undefined;
    return new DOMException(this.failure.message, this.failure.cause === "timeout" ? "TimeoutError" : "AbortError");
  }

  private late(): void {
    if (this.failure?.cause === "timeout") this.tell("HOOK_LATE", {});
  }

  private lateError(thrown: unknown): void {
    // Who rejects with the signal's own reason has obeyed it.
    if (this.failure?.cause === "timeout" && thrown !== this.rare?.abort?.signal.reason)
      this.tell("HOOK_LATE_ERROR", { path: this.hook.path, problem: failureOf(thrown).message });
  }

  private read(raw: unknown): void {
    const read = this.owner.row.read(raw, raw === undefined ? undefined : this.owner.shown);
    if (!read.ok) this.failure = { cause: "bad", message: read.problem, ...(read.rewrite && { rewrite: true }) };
    else {
      this.answer = read.answer;
      if (read.odd !== undefined) this.rarely().odd = read.odd;
      if (read.notice !== undefined && this.pass === 1) this.notice(read.notice);
    }
  }

  private settle(): void {
    const { metrics } = this.hook;
    this.marks |= OVER;
    const { timing } = this;
    if (timing === undefined) metrics.untimed += 1;
    else this.ended(timing);
    if (this.failure !== undefined) this.failed(this.failure);
    else {
      metrics.ok += 1;
      if (this.answer !== undefined) metrics.quick = false;
    }
  }

  private failed({ cause, message }: Failure): void {
    const { metrics } = this.hook;
    metrics.quick = false;
    metrics.failed += 1;
    if (cause === "timeout") metrics.timedOut += 1;
    metrics.lastError = message;
  }

  /** Starts the clock; false where the lane's time is already used up. */
  private begins(): boolean {
    const { startedAt } = this.begin();
    const { row } = this.owner;
    if (row.budgetMs === undefined || startedAt - this.owner.rarely().laneStartedAt <= row.budgetMs) return true;
    this.marks |= OVER;
    this.failure = { cause: "chain", message: "the chain limit was reached" };
    // A retry that is not made leaves the failure before it, which was counted.
    if (this.nth === 1) this.failed(this.failure);
    return false;
  }

  private begin(): Timing {
    const timing = { startedAt: this.owner.rarely().now(), endedAt: undefined, stamped: false };
    this.rarely().timing = timing;
    return timing;
  }

  private ended(timing: Timing): void {
    timing.endedAt = this.owner.rarely().now();
    addTime(this.hook.metrics, timing.endedAt - timing.startedAt, timing.stamped);
  }

  private rarely(): Used {
    this.rare ??= {
      stderr: "",
      isForeign: false,
      odd: undefined,
      pauses: undefined,
      abort: undefined,
      slowTold: false,
      timing: undefined,
    };
    return this.rare;
  }

  private tell(code: "HOOK_SLOW" | "HOOK_LATE" | "HOOK_LATE_ERROR", details: Record<string, string | number>): void {
    const { hook } = this;
    this.owner.report(
      diagnose(
        code,
        { hook: hook.id, place: place(hook.source), event: hook.event, ...details },
        { source: hook.source, hook: hook.id, event: hook.event },
      ),
    );
  }
}
