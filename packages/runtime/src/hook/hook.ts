import type { Source } from "@hookline/ground";
import type { FailedHook } from "../catalog/row.ts";
import type { Call } from "./call.ts";
import type { CarriedCases } from "./guard-case.ts";
import type { Instance } from "./instance.ts";
import type { HookMetrics } from "./metrics.ts";
import type { Offer, Reach } from "./offer.ts";

/** The return type of a function without a return statement; TypeScript 5 does not accept `undefined` for it. */
export type Nothing = ReturnType<() => void>;

/** The function behind a hook, which may run a program. Its answer may be a promise. */
export type Handler = (event: never, call: Call) => unknown;

/** Returns whether a matcher matches a tool, by hookline's name or the names by which another agent knows it. */
export type Fits = (tool: string, aliases: readonly string[]) => boolean;

/** One registered hook: its event, matcher, handler and source. */
export interface Hook extends FailedHook {
  /** The hook's id, `lane:path#event[index]`, which stays the same across runs for the same source. */
  readonly id: string;
  /** The event's name in its lane's table. */
  readonly event: string;
  readonly source: Source;
  readonly instance: Instance;
  readonly run: Handler;
  /** Returns whether the matcher matches an event, and so whether the hook is asked; if not, it counts as skipped. */
  readonly match: ((event: never) => boolean) | undefined;
  /** The matcher in words, for reports. */
  readonly filter: string | undefined;
  /** Returns whether a call of a tool with these names could start the hook; absent if a call of any tool could. */
  readonly fits: Fits | undefined;
  /**
   * Returns whether some call can reach the hook if only the tools in `offer` exist; without `offer`, if only the tools
   * of the agent that it was written for exist. Absent if a call of any tool can.
   */
  readonly reach: ((offer: Offer | undefined) => Reach) | undefined;
  /**
   * The time limit in milliseconds, instead of the row's. `Infinity`: the handler's transport enforces a limit of its
   * own.
   */
  readonly timeoutMs: number | undefined;
  /** The limit in milliseconds that the hook's transport enforces, for reports. */
  readonly transportMs: number | undefined;
  /** The number of attempts after the first; only failures are retried. */
  readonly retry: number;
  /** Whether a failure refuses what the hook guards and withholds what it redacts, whatever its row says. */
  readonly failClosed: boolean;
  readonly metrics: HookMetrics;
  /** The test cases in the guard's own file; absent for a hook that is not in hookline's own format. */
  readonly carries: CarriedCases | undefined;
  /** Why the hook is no longer asked and counts as failed: it did not pass the test at the session's start. */
  fault: string | undefined;
}

/** A dialect's definition of a hook to register; the instance fills in the rest. */
export interface HookSpec {
  readonly event: string;
  /** A name that replaces the source's path in the id, for handlers that share a path. */
  readonly name?: string | undefined;
  readonly run: (event: never, call: Call) => unknown;
  readonly match?: ((event: never) => boolean) | undefined;
  readonly filter?: string | undefined;
  readonly fits?: Fits | undefined;
  readonly reach?: Hook["reach"];
  readonly timeoutMs?: number | undefined;
  readonly transportMs?: number | undefined;
  readonly retry?: number;
  readonly onError?: "skip" | "abort";
  readonly failClosed?: boolean | undefined;
  readonly carries?: CarriedCases | undefined;
  /** The place of the hook in its source's file. */
  readonly at?: { readonly line?: number | undefined; readonly pointer?: string | undefined } | undefined;
}
