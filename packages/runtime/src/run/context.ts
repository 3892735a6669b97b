import type { Clock, Diagnostic } from "@hookline/ground";
import type { Plan, Scene } from "../hook/lane.ts";
import type { Deadlines } from "./deadline.ts";
import type { Observer } from "./observer.ts";
import type { Outcome } from "./outcome.ts";

/**
 * Corrects simple mistakes of type in the value that a guard judges, such as a call's arguments. When called with its
 * own result, it must return that unchanged. Throws the reason why the value cannot run, without quoting it.
 */
export type Accept = (judged: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;

/** The parts of the session that a dispatch needs. */
export interface DispatchContext {
  readonly scene: Scene;
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  /** Aborts the dispatch: running handlers are notified, their later answers are dropped, and a guard refuses. */
  readonly signal: AbortSignal | undefined;
  /** Whether the outcome lists every hook, and names the handler of an in-place edit instead of its lane. */
  readonly trace: boolean;
  /** The telemetry observer, if there is one, in an object that all dispatches of a runtime share. */
  readonly watched?: { readonly observer?: Observer | undefined };
  report(diagnostic: Diagnostic): void;
  /** Keeps a text that is too long to be passed on whole; returns the path of its file, if it could be written. */
  keep?(text: string): string | undefined;
  /** Hashes a judged call for the trace; see `callHash`. */
  hashCall?(payload: object): string | undefined;
  /** Called with the final payload, just before the dispatch ends. */
  final?(payload: object): void;
  /** Called when a dispatch ends asynchronously; its return value replaces the outcome. */
  ended?(plan: Plan, outcome: Outcome, scene: Scene): Outcome;
}
