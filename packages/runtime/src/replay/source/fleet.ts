import { HooklineError } from "@hookline/ground";
import type { Moment, SourceStream } from "../moment.ts";
import { firstBytes, type RecognisedSource } from "./index.ts";
import { recordingSource } from "./recording.ts";

/** What one session of a machine has left in the stream of its fleet. */
export interface FleetRecording {
  readonly machine: string;
  /** What results call it. */
  readonly name: string;
  /** A file with what could be verified; absent if nothing could be. */
  readonly path?: string;
  /** What is wrong with the rest, and how often: each is counted among the lines of which nothing is made. */
  readonly faults: Readonly<Record<string, number>>;
}

/** A source of the decisions of one session in a fleet. Throws as the file system does. */
export function fleetSource({ machine, name, path, faults }: FleetRecording): RecognisedSource {
  // Its beginning may be missing, and with it what the session was called.
  const head = path === undefined ? undefined : recordingSource.recognise(firstBytes(path));
  return {
    session: "",
    decided: true,
    ...head,
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

async function* momentsOf(
  stream: SourceStream,
  faults: FleetRecording["faults"],
  hasFile: boolean,
): AsyncGenerator<Moment> {
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
