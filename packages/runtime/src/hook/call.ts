import type { TraceContext } from "../port/trace-context.ts";
import type { Hook } from "./hook.ts";

/** One running handler, as the handler and its context see it. */
export interface Call {
  readonly hook: Hook;
  /** 2 when a guard is asked once more about the final call (architecture, law 3). */
  readonly pass: 1 | 2;
  /** Aborted with the dispatch, or when this handler's time is up. */
  readonly signal: AbortSignal;
  /** A person's answers during this dispatch, by dialog; if the hook is asked again, they are reused. */
  readonly dialogs: Map<string, unknown>;
  /** Connects the handler's own spans to the trace of this run; absent without a trace. */
  readonly trace?: TraceContext | undefined;
  /** Stops this handler's clock while a person is being asked; returns the undo. */
  pause(): () => void;
  /** Shows a line to the person, whatever the event. */
  notice(text: string): void;
  /**
   * Text that the handler wrote besides its answer, such as a program's stderr; for reports. `isForeign`: for traces
   * only.
   */
  note(stderr: string, isForeign?: boolean): void;
}
