import type { Clock, Timer } from "../../port/clock.ts";
import type { Transformer } from "./unit.ts";

/** How long after the last file a transformer may keep what it runs, in ms: the modules of a start come soon after each other. */
const REST_AFTER_MS = 1000;

/** The same transformer, which is told to rest when there has been nothing to transform for a while. */
export function resting(transformer: Transformer, clock: Clock): Transformer {
  let running = 0;
  let rest: Timer | undefined;
  return {
    version: transformer.version,
    async transform(source, loader) {
      rest?.cancel();
      running++;
      try {
        return await transformer.transform(source, loader);
      } finally {
        if (--running === 0) rest = clock.timer(REST_AFTER_MS, () => void transformer.rest?.());
      }
    },
  };
}
