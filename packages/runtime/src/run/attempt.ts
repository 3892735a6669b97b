import type { Failure } from "../catalog/row.ts";
import { diagnose, place } from "../error/diagnostic.ts";
import type { Call } from "../hook/call.ts";
import type { Hook } from "../hook/hook.ts";
import type { LaneRow } from "../hook/lane.ts";
import { addTime } from "../hook/metrics.ts";
import type { DispatchContext } from "./context.ts";
import type { Waiting } from "./deadline.ts";
import { failureOf } from "./failure.ts";
import type { Notice } from "./outcome.ts";

/** A handler without a time limit is named after this long. */
const SLOW_MS = 5000;

/** What the attempt tells when a promised answer is there. */
export interface AttemptOwner {
  readonly context: DispatchContext;
  readonly dialogs: Map<string, unknown>;
  readonly notices: Notice[];
  /** When the lane began, for its budget. */
  readonly laneStartedAt: number;
  resume(attempt: Attempt): void;
}

/** One hook asked once, retries included: runs the handler, keeps its clock, reads nothing into what it says. */
export class Attempt implements Call, Waiting {
  readonly hook: Hook;
  readonly pass: 1 | 2;
  readonly startedAt: number;
  stderr = "";
  /** The answer as the row reads it; meaningful when `failure` is absent. */
  answer: unknown;
  odd: readonly string[] | undefined;
  failure: Failure | undefined;
  waiting = false;
  readonly #row: LaneRow;
  readonly #owner: AttemptOwner;
  readonly #event: unknown;
  readonly #timeoutMs: number;
  #tries = 0;
  /** Answers of earlier tries, or after the deadline, carry an older number and are dropped. */
  #epoch = 0;
  #triedAt = 0;
  #pausedAt = 0;
  #pauses = 0;
  #pausedMs = 0;
  #slowTold = false;
  #abort: AbortController | undefined;

  constructor(owner: AttemptOwner, row: LaneRow, hook: Hook, event: unknown, pass: 1 | 2, startedAt: number) {
    this.#owner = owner;
    this.#row = row;
    this.hook = hook;
    this.#event = event;
    this.pass = pass;
    this.startedAt = startedAt;
    this.#timeoutMs = hook.timeoutMs ?? row.timeoutMs ?? Number.POSITIVE_INFINITY;
  }

  get timeoutMs(): number {
    return this.#timeoutMs;
  }

  /** True when it settled at once; otherwise the owner is resumed later. */
  start(): boolean {
    const { clock } = this.#owner.context;
    for (;;) {
      const now = this.#tries === 0 ? this.startedAt : clock.now();
      if (this.#row.budgetMs !== undefined && now - this.#owner.laneStartedAt > this.#row.budgetMs) {
        this.failure = { cause: "chain", message: "the chain limit was reached" };
        return true;
      }
      this.#tries += 1;
      this.#triedAt = now;
      this.hook.metrics.runs += 1;
      try {
        const raw: unknown = (this.hook.run as (event: unknown, call: Call) => unknown)(this.#event, this);
        if (isThenable(raw)) {
          this.#wait(raw);
          return false;
        }
        this.#read(raw);
      } catch (thrown) {
        this.failure = failureOf(thrown);
      }
      this.#account();
      if (!this.#again()) return true;
    }
  }

  // ---- Call

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.#owner.context.signal?.aborted) this.#abort.abort();
    }
    return this.#abort.signal;
  }

  get dialogs(): Map<string, unknown> {
    return this.#owner.dialogs;
  }

  pause(): () => void {
    const { clock, deadlines } = this.#owner.context;
    if (this.#pauses++ === 0) this.#pausedAt = clock.now();
    let open = true;
    return () => {
      if (!open) return;
      open = false;
      if (--this.#pauses > 0) return;
      this.#pausedMs += clock.now() - this.#pausedAt;
      if (this.waiting) deadlines.moved(this);
    };
  }

  notice(text: string): void {
    this.#owner.notices.push({ hook: this.hook.id, text });
  }

  note(stderr: string): void {
    this.stderr += stderr;
  }

  // ---- Waiting

  due(): number {
    if (this.#pauses > 0) return Number.POSITIVE_INFINITY;
    if (this.#timeoutMs !== Number.POSITIVE_INFINITY) return this.#triedAt + this.#pausedMs + this.#timeoutMs;
    return this.#slowTold ? Number.POSITIVE_INFINITY : this.#triedAt + this.#pausedMs + SLOW_MS;
  }

  overdue(): void {
    if (this.#timeoutMs === Number.POSITIVE_INFINITY) {
      this.#slowTold = true;
      this.#tell("HOOK_SLOW", { seconds: SLOW_MS / 1000 });
      return;
    }
    this.#end({ cause: "timeout", message: `no answer within ${this.#timeoutMs} ms` });
  }

  /** Ends the wait because the dispatch was aborted. */
  abort(): void {
    if (this.waiting) this.#end({ cause: "aborted", message: "aborted" });
  }

  // ---- inner

  #wait(raw: PromiseLike<unknown>): void {
    const epoch = ++this.#epoch;
    this.waiting = true;
    this.#owner.context.deadlines.watch(this);
    const promise = raw instanceof Promise ? raw : Promise.resolve(raw);
    promise.then(
      (value: unknown) => {
        if (epoch !== this.#epoch) return this.#tell("HOOK_LATE", {});
        this.#settle(value, undefined);
      },
      (thrown: unknown) => {
        const failure = failureOf(thrown);
        if (epoch !== this.#epoch)
          return this.#tell("HOOK_LATE_ERROR", { path: this.hook.path, problem: failure.message });
        this.#settle(undefined, failure);
      },
    );
  }

  #settle(value: unknown, failure: Failure | undefined): void {
    this.waiting = false;
    this.#owner.context.deadlines.settled();
    this.failure = failure;
    if (failure === undefined) {
      try {
        this.#read(value);
      } catch (thrown) {
        this.failure = failureOf(thrown);
      }
    }
    this.#account();
    if (this.#again() && !this.start()) return;
    this.#owner.resume(this);
  }

  /** The deadline or an abort: what the handler says later is dropped. */
  #end(failure: Failure): void {
    this.#epoch += 1;
    this.#abort ??= new AbortController();
    this.#abort.abort(new DOMException(failure.message, failure.cause === "timeout" ? "TimeoutError" : "AbortError"));
    this.#settle(undefined, failure);
  }

  #read(raw: unknown): void {
    const read = this.#row.read(raw);
    if (read.ok) {
      this.answer = read.answer;
      this.odd = read.odd;
      this.failure = undefined;
    } else this.failure = { cause: "bad", message: read.problem };
  }

  #account(): void {
    const { metrics } = this.hook;
    addTime(metrics, this.#owner.context.clock.now() - this.#triedAt);
    if (this.failure === undefined) metrics.ok += 1;
    else {
      metrics.failed += 1;
      if (this.failure.cause === "timeout") metrics.timedOut += 1;
      metrics.lastError = this.failure.message;
    }
  }

  /** Whether the last try failed in a way that another may mend. */
  #again(): boolean {
    if (this.failure === undefined || this.#tries > this.hook.retry) return false;
    if (this.#owner.context.signal?.aborted) return false;
    return this.failure.cause !== "engine" && this.failure.cause !== "aborted";
  }

  #tell(code: "HOOK_SLOW" | "HOOK_LATE" | "HOOK_LATE_ERROR", details: Record<string, string | number>): void {
    const { hook } = this;
    this.#owner.context.report(
      diagnose(
        code,
        { hook: hook.id, place: place(hook.source), event: hook.event, ...details },
        { source: hook.source, hook: hook.id, event: hook.event },
      ),
    );
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}
