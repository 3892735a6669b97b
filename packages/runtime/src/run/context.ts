import type { Diagnostic } from "../error/diagnostic.ts";
import type { Plan, Scene } from "../hook/lane.ts";
import type { Clock } from "../port/clock.ts";
import type { Deadlines } from "./deadline.ts";
import type { Outcome } from "./outcome.ts";

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
  /** Told of a dispatch that did not end at once; what it gives takes the outcome's place. */
  ended?(plan: Plan, outcome: Outcome): Outcome;
}
