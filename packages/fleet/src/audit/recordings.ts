import { HooklineError, type RecognisedSource, recogniseSource, recordingSource, type SourceStream } from "../kit.ts";
import type { Collection } from "./collect.ts";

/** The recording of one session of a machine, from the stream of its fleet. */
interface FleetRecording {
  readonly machine: string;
  /** The recording's name in the results of a replay. */
  readonly name: string;
  /** The path of a file with the verified part of the recording; absent if nothing could be verified. */
  readonly path?: string;
  /** How often each problem, such as `batch-gap`, occurred; a replay counts them among the lines that it skipped. */
  readonly faults: Readonly<Record<string, number>>;
}

/**
 * Returns the sessions in a collection as sources of a replay, in the order of the stream. Leaves out those whose last
 * batch is older than `since` (epoch ms). A session with missing or untrusted batches stays, because the time of its
 * last batch is not certain. Throws as the file system does.
 */
export function recordingsIn({ recordings, faults }: Collection, since: number): RecognisedSource[] {
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
  return [...found, ...lost].map(sourceOf);
}

function sourceOf({ machine, name, path, faults }: FleetRecording): RecognisedSource {
  return {
    session: "",
    decided: true,
    // The session's id is at the file's beginning; if that is missing, `session` stays empty.
    ...(path !== undefined && recogniseSource(path)),
    kind: "fleet",
    machine,
    name,
    path: path ?? name,
    reader: {
      recognise: () => undefined,
      moments: (stream) => momentsOf(stream, faults, path !== undefined),
    },
  };
}

async function* momentsOf(stream: SourceStream, faults: FleetRecording["faults"], hasFile: boolean) {
  for (const [reason, times] of Object.entries(faults)) for (let n = 0; n < times; n++) stream.skip(reason);
  if (!hasFile) return;
  try {
    yield* recordingSource.moments(stream);
  } catch (thrown) {
    // One machine with another version must not end the replay of all the others.
    if (!HooklineError.isInstance(thrown) || thrown.code !== "RECORDING_VERSION") throw thrown;
    stream.skip("other-version");
  }
}
