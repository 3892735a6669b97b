import type { Clock, Diagnostic } from "@hookline/ground";
import type { Plan, Scene } from "../hook/lane.ts";
import type { Deadlines } from "./deadline.ts";
import type { Observer } from "./observer.ts";
import type { Outcome } from "./outcome.ts";

/**
 * Returns what a guard's row judges in the form in which it may run: simple mistakes of type are corrected. Must return
 * its own results unchanged when given them again. Throws the reason why it cannot run, without quoting the value.
 */
export type Accept = (judged: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;

/** Parts of its session that a dispatch needs. */
export interface DispatchContext {
  readonly scene: Scene;
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  /** Aborts the dispatch: running handlers are told, their later answers are dropped, and a guard refuses. */
  readonly signal: AbortSignal | undefined;
  /** Records all hooks, and attributes in-place edits to handlers instead of lanes. */
  readonly trace: boolean;
  /** Holds the telemetry observer, if there is one; shared by all dispatches of a runtime. */
  readonly watched?: { readonly observer?: Observer | undefined };
  report(diagnostic: Diagnostic): void;
  /** Keeps a text that is too long to be given whole; returns the path of its file, if there is one. */
  keep?(text: string): string | undefined;
  /** Hashes a judged call for the trace; see `callHash`. */
  hashCall?(payload: object): string | undefined;
  /** Called with the final payload, just before the dispatch ends. */
  final?(payload: object): void;
  /** Called when a dispatch ends that did not end at once; its return value replaces the outcome. */
  ended?(plan: Plan, outcome: Outcome, scene: Scene): Outcome;
}
