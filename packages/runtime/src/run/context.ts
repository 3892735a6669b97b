import type { Diagnostic } from "../error/diagnostic.ts";
import type { Plan, Scene } from "../hook/lane.ts";
import type { Clock } from "../port/clock.ts";
import type { Deadlines } from "./deadline.ts";
import type { Outcome } from "./outcome.ts";

/**
 * What a guard's row judges, as it may run: plain mistakes of type put right. Must leave what it gives as it is when it
 * is given that. Throws, without quoting the value, why it cannot run.
 */
export type Accept = (judged: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;

/** What a dispatch needs from its session. */
export interface DispatchContext {
  readonly scene: Scene;
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  /** Ends the dispatch: handlers that run are told, what they answer later is dropped, a guard refuses. */
  readonly signal: AbortSignal | undefined;
  /** Records everybody, and attributes in-place edits to handlers instead of lanes. */
  readonly trace: boolean;
  report(diagnostic: Diagnostic): void;
  /** Names a judged call for the trace; see `callHash`. */
  hashCall?(payload: object): string | undefined;
  /** Told of a dispatch that did not end at once; what it gives takes the outcome's place. */
  ended?(plan: Plan, outcome: Outcome): Outcome;
}
