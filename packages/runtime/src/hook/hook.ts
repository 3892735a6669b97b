import type { Source } from "@hookline/ground";
import type { FailedHook } from "../catalog/row.ts";
import type { Call } from "./call.ts";
import type { CarriedCases } from "./guard-case.ts";
import type { Instance } from "./instance.ts";
import type { HookMetrics } from "./metrics.ts";
import type { Offer, Reach } from "./offer.ts";

/** The return type of a function without a return; TypeScript 5 does not take it for undefined. */
export type Nothing = ReturnType<() => void>;

/** A function or program behind a hook. May answer at once or with a promise. */
export type Handler = (event: never, call: Call) => unknown;

/** Tests hookline's name of a tool, and those by which another agent knows it. */
export type Fits = (tool: string, aliases: readonly string[]) => boolean;

/** One registration: event, matcher, handler, source. */
export interface Hook extends FailedHook {
  /** Stable across runs for the same source: `lane:path#event[index]`. */
  readonly id: string;
  /** The event's name in its lane's table. */
  readonly event: string;
  readonly source: Source;
  readonly instance: Instance;
  readonly run: Handler;
  /** Tested on the lane's event before each run; a miss is counted as skipped. */
  readonly match: ((event: never) => boolean) | undefined;
  /** The matcher in words, for reports. */
  readonly filter: string | undefined;
  /** Whether a call of a tool of these names could start it; absent where any tool's could. */
  readonly fits: Fits | undefined;
  /**
   * Says whether some call can reach it where only these tools are offered, or, without an offer, in its own program;
   * absent where a call of any tool can.
   */
  readonly reach: ((offer: Offer | undefined) => Reach) | undefined;
  /** Overrides the row's. `Infinity`: the handler's transport enforces its own. */
  readonly timeoutMs: number | undefined;
  /** The limit that its transport enforces, for reports. */
  readonly transportMs: number | undefined;
  /** Attempts after the first; only failures are retried. */
  readonly retry: number;
  /** Whether a failure refuses what the hook guards and withholds what it redacts, whatever its row says. */
  readonly failClosed: boolean;
  readonly metrics: HookMetrics;
  /** The cases that it carries; absent for a hook that is not in hookline's own format. */
  readonly carries: CarriedCases | undefined;
  /** Why it is not asked any more and counts as failed: it did not do what it must. Set by the session that proved it. */
  fault: string | undefined;
}

/** A dialect's definition of a hook to register; the instance fills in the rest. */
export interface HookSpec {
  readonly event: string;
  /** Replaces the source's path in the id, for handlers that share a path. */
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
