import type { FailedHook } from "../catalog/row.ts";
import type { Source } from "../error/diagnostic.ts";
import type { Call } from "./call.ts";
import type { Instance } from "./instance.ts";
import type { HookMetrics } from "./metrics.ts";

/** A function or program behind a hook. May answer at once or with a promise. */
export type Handler = (event: never, call: Call) => unknown;

/** One registration: event, matcher, handler, source. */
export interface Hook extends FailedHook {
  /** Stable over runs for the same source: `lane:path#event[index]`. */
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
  /** Overrides the row's. `Infinity`: the handler's transport enforces its own. */
  readonly timeoutMs: number | undefined;
  /** The limit that its transport enforces, for reports. */
  readonly transportMs: number | undefined;
  /** Attempts after the first, made for failures only. */
  readonly retry: number;
  /** Whether a failure refuses what it guards and keeps back what it redacts, whatever its row makes of it. */
  readonly failClosed: boolean;
  readonly metrics: HookMetrics;
}

/** What a dialect gives to register a hook; the rest is filled in by the instance. */
export interface HookSpec {
  readonly event: string;
  /** Stands in the id in place of the source's path, which several handlers share. */
  readonly name?: string | undefined;
  readonly run: (event: never, call: Call) => unknown;
  readonly match?: ((event: never) => boolean) | undefined;
  readonly filter?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly transportMs?: number | undefined;
  readonly retry?: number;
  readonly onError?: "skip" | "abort";
  readonly failClosed?: boolean | undefined;
  readonly line?: number | undefined;
}
