import type { Clock } from "@hookline/ground";
import { type Observer, UNWATCHED } from "../run/observer.ts";
import type { Runtime } from "../session/face.ts";
import type { HookRuntime } from "../session/runtime.ts";
import { DispatchSpans } from "./dispatch.ts";
import { OperationSpan } from "./operation.ts";
import { type InstrumentOptions, Signals } from "./signals.ts";

export type { InstrumentOptions } from "./signals.ts";

/** The version of the instrumentation scope; a test compares it with the package's. */
export const VERSION = "0.2.0";

/**
 * Reports what hooks do in all sessions of a runtime, and the tools that `session.wrap` runs, as spans and
 * measurements. Costs next to nothing while no SDK is registered; one may be registered later. Returns a function that
 * stops the reports.
 */
export function instrument(runtime: Runtime, options: InstrumentOptions = {}): () => void {
  return (runtime as HookRuntime).observe(observerOf(options));
}

function observerOf(options: InstrumentOptions): Observer {
  const signals = new Signals(options, VERSION);
  const content = options.content === true;
  // The epoch time of each clock's zero, computed only once, so that no span starts before its parent.
  const epochs = new WeakMap<Clock, number>();
  const epochOf = (clock: Clock): number => {
    const known = epochs.get(clock);
    if (known !== undefined) return known;
    const epochMs = clock.wall() - clock.now();
    epochs.set(clock, epochMs);
    return epochMs;
  };
  return {
    dispatch: (plan, payload, moment) =>
      signals.isOff ? undefined : new DispatchSpans(signals, plan, payload, moment, epochOf(moment.clock)),
    operation: (about, moment) =>
      signals.isOff ? UNWATCHED : new OperationSpan(signals, about, moment, epochOf(moment.clock), content),
  };
}
