import type { Hook } from "./hook.ts";

/** One running handler, as the handler and its context see it. */
export interface Call {
  readonly hook: Hook;
  /** 2 when a guard is asked once more about the final call (architecture, law 3). */
  readonly pass: 1 | 2;
  /** Aborted when the dispatch is, or when this handler's time is over. */
  readonly signal: AbortSignal;
  /** Answers that a person gave during this dispatch, by dialog; a second ask is answered from here. */
  readonly dialogs: Map<string, unknown>;
  /** Stops this handler's clock while a person is being asked; returns the undo. */
  pause(): () => void;
  /** Shows a line to the person, whatever the event. */
  notice(text: string): void;
  /** Text that the handler wrote beside its answer, such as a program's stderr; for reports. `isForeign`: for traces alone. */
  note(stderr: string, isForeign?: boolean): void;
}
