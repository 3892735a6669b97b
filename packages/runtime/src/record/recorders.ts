import type { Recorder } from "./recorder.ts";

/** Records a session's moments: one recorder, or several. */
export type Records = Pick<Recorder, "wants" | "record" | "asked" | "saidInShadow">;

/** Records each moment in all of these places. A guarded call is refused if any place that requires it has failed. */
export function recordersOf(all: readonly Records[]): Records | undefined {
  if (all.length < 2) return all[0];
  return {
    wants: (row) => all.some((one) => one.wants(row)),
    record: (happened) => all.map((one) => one.record(happened)).find((problem) => problem !== undefined),
    asked(...told) {
      for (const one of all) one.asked(...told);
    },
    saidInShadow(said) {
      for (const one of all) one.saidInShadow(said);
    },
  };
}
