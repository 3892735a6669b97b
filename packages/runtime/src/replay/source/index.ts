import { linesOf } from "../../record/lines.ts";
import { openBytes } from "../../record/read.ts";
import type { SourceHead, SourceReader } from "../moment.ts";
import { recordingSource } from "./recording.ts";

/** The number of bytes that are read to identify a file; the first lines of some contain a long system prompt. */
const FIRST_BYTES = 1 << 18;
/** The most bytes that are read to identify a file, even if a line, such as a prompt with pictures, is longer. */
const MOST_BYTES = 1 << 27;

/** A file that moments can be read from. */
export interface RecognisedSource extends SourceHead {
  readonly path: string;
  /** The name of the source in results. Default: its path. */
  readonly name?: string;
  readonly reader: SourceReader;
}

/**
 * Identifies a file: as a recording, or by the first of `transcripts` that recognises it. Returns `undefined` if none
 * does. `@hookline/runtime/dialects` exports the readers of known agents. Throws like the file system.
 */
export function recogniseSource(path: string, transcripts: readonly SourceReader[] = []): RecognisedSource | undefined {
  const first = firstBytes(path);
  for (const reader of [recordingSource, ...transcripts]) {
    const head = reader.recognise(first);
    if (head !== undefined) return { ...head, path, reader };
  }
  return undefined;
}

/** Returns the first bytes of a file, up to the end of a line, to identify it by. Throws like the file system. */
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
