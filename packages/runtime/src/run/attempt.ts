import type { Failure } from "../catalog/row.ts";
import { type Diagnostic, diagnose, place } from "../error/diagnostic.ts";
import type { Call } from "../hook/call.ts";
import type { Hook } from "../hook/hook.ts";
import type { LaneRow } from "../hook/lane.ts";
import { addTime, wantsTime } from "../hook/metrics.ts";
import type { Deadlines } from "./deadline.ts";
import { failureOf } from "./failure.ts";
import { type Answered, type Line, promised } from "./line.ts";
import { Pauses } from "./pause.ts";

/** A handler without a time limit is named after this long. */
const SLOW_MS = 5000;

/** The dispatch that an attempt belongs to. */
export interface AttemptOwner {
  readonly deadlines: Deadlines;
  readonly signal: AbortSignal | undefined;
  readonly dialogs: Map<string, unknown>;
  /** Whether every handler is timed. */
  readonly exact: boolean;
  /** When the lane began, where it has a budget. */
  readonly laneStartedAt: number;
  now(): number;
  /** The line to wait on. */
  line(): Line;
  notice(hook: Hook, text: string): void;
  report(diagnostic: Diagnostic): void;
  /** Called when the attempt is no longer waited for although its handler still runs, before it is resumed. */
  left(): void;
  /** Called when an attempt that was waited for has settled. */
  resume(attempt: Attempt): void;
}

/** What few handlers use. */
interface Rare {
  stderr: string;
  odd: readonly string[] | undefined;
  pauses: Pauses | undefined;
  abort: AbortController | undefined;
  slowTold: boolean;
}

/**
 * One hook asked once: runs the handler, keeps its clock, reads nothing into what it says.
 *
 * Fields are declared, and set by the constructor alone: V8 calls a function of its own for fields of any other kind,
 * and an attempt is made for every handler.
 */
export class Attempt implements Call, Answered {
  declare readonly hook: Hook;
  declare readonly pass: 1 | 2;
  /** 1 for the first attempt, 2 for the first retry. */
  declare readonly nth: number;
  /** The answer as the row reads it; meaningful when `failure` is absent. */
  declare answer: unknown;
  declare failure: Failure | undefined;
  declare private readonly row: LaneRow;
  declare private readonly owner: AttemptOwner;
  declare private rare: Rare | undefined;
  declare private waiting: boolean;
  declare private over: boolean;
  /** Readings of the clock; none where the run is not timed. */
  declare private startedAt: number | undefined;
  declare private endedAt: number | undefined;
  /** Whether its start is that of the first sweep that saw it. */
  declare private stamped: boolean;

  constructor(owner: AttemptOwner, row: LaneRow, hook: Hook, pass: 1 | 2, nth: number) {
    this.owner = owner;
    this.row = row;
    this.hook = hook;
    this.pass = pass;
    this.nth = nth;
    this.answer = undefined;
    this.failure = undefined;
    this.rare = undefined;
    this.waiting = false;
    this.over = false;
    this.startedAt = undefined;
    this.endedAt = undefined;
    this.stamped = false;
  }

  get timeoutMs(): number {
    return this.hook.timeoutMs ?? this.row.timeoutMs ?? Number.POSITIVE_INFINITY;
  }

  /** How long it took, in ms; 0 where it was too quick to be timed. */
  get ms(): number {
    return this.startedAt === undefined || this.endedAt === undefined ? 0 : this.endedAt - this.startedAt;
  }

  /** Names of the answer's fields that have no effect. */
  get odd(): readonly string[] | undefined {
    return this.rare?.odd;
  }

  get stderr(): string {
    return this.rare?.stderr ?? "";
  }

  /** Whether there is anything to take in. */
  get quiet(): boolean {
    return this.failure === undefined && this.answer === undefined && this.rare?.odd === undefined;
  }

  /** Runs the handler. True when it settled at once; otherwise the owner is resumed later. */
  start(event: unknown): boolean {
    const { hook } = this;
    const owner = this.owner;
    if (owner.exact || hook.timeoutMs !== undefined || wantsTime(hook.metrics)) {
      this.startedAt = owner.now();
      const { budgetMs } = this.row;
      if (budgetMs !== undefined && this.startedAt - owner.laneStartedAt > budgetMs) {
        this.over = true;
        this.failure = { cause: "chain", message: "the chain limit was reached" };
        return true;
      }
    }
    hook.metrics.runs += 1;
    try {
      const raw: unknown = hook.run(event as never, this);
      const promise = promised(raw);
      if (promise !== undefined) {
        owner.line().wait(this, promise);
        this.waiting = true;
        return false;
      }
      this.read(raw);
    } catch (thrown) {
      this.failure = failureOf(thrown);
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
    return this.owner.dialogs;
  }

  pause(): () => void {
    if (this.over) return () => {};
    this.startedAt ??= this.owner.now();
    const rare = this.rarely();
    rare.pauses ??= new Pauses(() => this.owner.now());
    const end = rare.pauses.begin();
    return () => {
      end();
      if (this.waiting) this.owner.deadlines.moved(this.due());
    };
  }

  notice(text: string): void {
    if (!this.over) this.owner.notice(this.hook, text);
  }

  note(stderr: string): void {
    if (!this.over) this.rarely().stderr += stderr;
  }

  // ---- waiting

  /** When it is due on the clock; `Infinity` while a person is being asked, `undefined` while it does not know. */
  due(): number | undefined {
    if (this.startedAt === undefined) return undefined;
    const pauses = this.rare?.pauses;
    if (pauses?.open) return Number.POSITIVE_INFINITY;
    const { timeoutMs } = this;
    const began = this.startedAt + (pauses?.totalMs ?? 0);
    if (timeoutMs !== Number.POSITIVE_INFINITY) return began + timeoutMs;
    return this.rare?.slowTold ? Number.POSITIVE_INFINITY : began + SLOW_MS;
  }

  /** Told the time while it is waited for; gives when it is due next. */
  sweep(now: number): number {
    if (!this.waiting) return Number.POSITIVE_INFINITY;
    if (this.startedAt === undefined) {
      this.startedAt = now;
      this.stamped = true;
    }
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

  // ---- Answered

  answered(value: unknown): void {
    if (this.over) {
      if (this.failure?.cause === "timeout") this.tell("HOOK_LATE", {});
      return;
    }
    try {
      this.read(value);
    } catch (thrown) {
      this.failure = failureOf(thrown);
    }
    this.settle();
    this.owner.resume(this);
  }

  rejected(thrown: unknown): void {
    if (this.over) {
      // Who rejects with the signal's own reason has obeyed it.
      if (this.failure?.cause === "timeout" && thrown !== this.rare?.abort?.signal.reason)
        this.tell("HOOK_LATE_ERROR", { path: this.hook.path, problem: failureOf(thrown).message });
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
    this.owner.left();
    this.rare?.abort?.abort(this.reason());
    this.owner.resume(this);
  }

  private reason(): DOMException | undefined {
    if (this.failure === undefined) return undefined;
    return new DOMException(this.failure.message, this.failure.cause === "timeout" ? "TimeoutError" : "AbortError");
  }

  private read(raw: unknown): void {
    const read = this.row.read(raw);
    if (!read.ok) {
      this.failure = { cause: "bad", message: read.problem };
      return;
    }
    this.answer = read.answer;
    if (read.odd !== undefined) this.rarely().odd = read.odd;
  }

  private settle(): void {
    this.over = true;
    this.waiting = false;
    const { metrics } = this.hook;
    if (this.startedAt === undefined) metrics.untimed += 1;
    else {
      this.endedAt = this.owner.now();
      addTime(metrics, this.endedAt - this.startedAt, this.stamped);
    }
    if (this.failure === undefined) {
      metrics.ok += 1;
      if (this.answer !== undefined) metrics.quick = false;
      return;
    }
    metrics.quick = false;
    metrics.failed += 1;
    if (this.failure.cause === "timeout") metrics.timedOut += 1;
    metrics.lastError = this.failure.message;
  }

  private rarely(): Rare {
    this.rare ??= { stderr: "", odd: undefined, pauses: undefined, abort: undefined, slowTold: false };
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
