import { linesOf } from "../../record/lines.ts";
import { openBytes } from "../../record/read.ts";
import type { SourceHead, SourceReader } from "../moment.ts";
import { recordingSource } from "./recording.ts";

/** How much of a file is looked at; the first lines of some begin with a long system prompt. */
const FIRST_BYTES = 1 << 18;
/** The maximum of the line in which this ends: a prompt with pictures may be long. */
const MOST_BYTES = 1 << 27;

/** A file that moments can be read from. */
export interface RecognisedSource extends SourceHead {
  readonly path: string;
  /** The name in results. Default: its path. */
  readonly name?: string;
  readonly reader: SourceReader;
}

/**
 * Says what kind of source a file is: a recording, or a session that one of `transcripts` reads, asked in their order;
 * `undefined` where it is none. The agents' own are exported by `@hookline/runtime/dialects`. Throws as the file system
 * does.
 */
export function recogniseSource(path: string, transcripts: readonly SourceReader[] = []): RecognisedSource | undefined {
  const first = firstBytes(path);
  for (const reader of [recordingSource, ...transcripts]) {
    const head = reader.recognise(first);
    if (head !== undefined) return { ...head, path, reader };
  }
  return undefined;
}

/** As much of a file as is looked at to recognise it, to the end of a line. Throws as the file system does. */
export function firstBytes(path: string): Uint8Array {
  const file = openBytes(path);
  try {
    let end = 0;
    for (const line of linesOf(file)) {
      end = Math.min(line.end, MOST_BYTES);
      if (end >= FIRST_BYTES) break;
    }
    const bytes = new Uint8Array(end);
    return bytes.subarray(0, file.read(bytes, 0));
  } finally {
    file.close();
  }
}
