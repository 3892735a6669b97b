import { linesOf } from "../../record/lines.ts";
import { openBytes } from "../../record/read.ts";
import type { SourceHead, SourceReader } from "../moment.ts";
import { claudeSource } from "./claude.ts";
import { codexSource } from "./codex.ts";
import { recordingSource } from "./recording.ts";
import { sessionSource } from "./session.ts";

/** Every kind of source, in the order in which a file is shown to them. */
const READERS: readonly SourceReader[] = [recordingSource, codexSource, sessionSource, claudeSource];

/** How much of a file is looked at; the first lines of some begin with a long system prompt. */
const FIRST_BYTES = 1 << 18;
/** The maximum of the line in which this ends: a prompt with pictures may be long. */
const MOST_BYTES = 1 << 27;

/** A file that moments can be read from. */
export interface RecognisedSource extends SourceHead {
  readonly path: string;
  /** What results call it. Default: its path. */
  readonly name?: string;
  readonly reader: SourceReader;
}

/** What kind of source a file is; `undefined` where it is none. Throws as the file system does. */
export function recogniseSource(path: string): RecognisedSource | undefined {
  const first = firstBytes(path);
  for (const reader of READERS) {
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
