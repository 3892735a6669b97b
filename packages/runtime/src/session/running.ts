import type { Clock } from "@hookline/ground";
import { place } from "@hookline/ground";
import type { InBackground } from "../hook/background.ts";
import type { Instance } from "../hook/instance.ts";
import type { Deadlines } from "../run/deadline.ts";

/** Returns the running handlers of some instances, longest first, each with its place and run time. */
export function runningOf(
  instances: ReadonlySet<Instance>,
  { deadlines, clock }: { readonly deadlines: Deadlines; readonly clock: Clock },
): readonly InBackground[] {
  const now = clock.now();
  return deadlines
    .waitsFor()
    .filter(({ hook }) => instances.has(hook.instance))
    .map((one) => ({
      label: place(one.hook.source),
      event: one.hook.event,
      ms: now - (one.since ?? now),
      end: () => one.giveUp(),
    }))
    .sort((a, b) => b.ms - a.ms);
}
