import type { Recorder } from "./recorder.ts";

/** The recorder of a session's moments; may combine several recorders. */
export type Records = Pick<Recorder, "wants" | "record" | "asked" | "saidInShadow">;

/**
 * Combines recorders to one that records each moment with all of them. A guarded call is refused if any of them must
 * record it and cannot.
 */
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
