import type { FleetRecording } from "@hookline/runtime/replay";
import type { Collection } from "./collect.ts";

/**
 * The sessions in a collection as sources of a replay, in the order of the stream: those with a batch since a time (epoch
 * ms), and those of which something is missing or cannot be trusted, whose time is not certain.
 */
export function recordingsIn({ recordings, faults }: Collection, since: number): FleetRecording[] {
  const bySubject = new Map<string, Record<string, number>>();
  for (const { subject, kind } of faults) {
    const counts = bySubject.get(subject) ?? {};
    bySubject.set(subject, counts);
    const name = `batch-${kind}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  const found = recordings.flatMap(({ machine, subject, path, to, isExpired }): FleetRecording[] => {
    const counts = bySubject.get(subject);
    bySubject.delete(subject);
    if (to < since && counts === undefined) return [];
    return [{ machine, name: subject, path, faults: { ...counts, ...(isExpired && { "batch-expired": 1 }) } }];
  });
  const lost = [...bySubject].map(([subject, counts]): FleetRecording => {
    const [machine = ""] = subject.split(".").slice(-2);
    return { machine, name: subject, faults: counts };
  });
  return [...found, ...lost];
}
