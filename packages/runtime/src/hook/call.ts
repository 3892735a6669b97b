import type { TraceContext } from "../port/trace-context.ts";
import type { Hook } from "./hook.ts";

/** One run of a handler, as the handler and its context see it. */
export interface Call {
  readonly hook: Hook;
  /** 2 if a guard is asked once more about the final call (architecture, law 3), else 1. */
  readonly pass: 1 | 2;
  /** Aborted with the dispatch, or when this handler's time is up. */
  readonly signal: AbortSignal;
  /** A person's answers during this dispatch, by dialog; they are reused if the hook is asked again. */
  readonly dialogs: Map<string, unknown>;
  /** Connects the handler's own spans to the trace of this run; absent without a trace. */
  readonly trace?: TraceContext | undefined;
  /** Stops counting this handler's time while a person is asked; returns a function that counts on. */
  pause(): () => void;
  /** Shows a line to the person, whatever the event. */
  notice(text: string): void;
  /**
   * Records text that the handler wrote besides its answer, such as a program's stderr. Traces contain it, and so do
   * reports of a failure, unless `isForeign` is set.
   */
  note(stderr: string, isForeign?: boolean): void;
}
