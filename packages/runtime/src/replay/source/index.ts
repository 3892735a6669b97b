import { closeSync, openSync, readSync } from "node:fs";
import type { SourceHead, SourceReader } from "../moment.ts";
import { claudeSource } from "./claude.ts";
import { codexSource } from "./codex.ts";
import { recordingSource } from "./recording.ts";
import { sessionSource } from "./session.ts";

/** Every kind of source, in the order in which a file is shown to them. */
const READERS: readonly SourceReader[] = [recordingSource, codexSource, sessionSource, claudeSource];

/** How much of a file is looked at; the first lines of some begin with a long system prompt. */
const FIRST_BYTES = 1 << 18;

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

/** As much of a file as is looked at to recognise it. Throws as the file system does. */
export function firstBytes(path: string): Uint8Array {
  const fd = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(FIRST_BYTES);
    return bytes.subarray(0, readSync(fd, bytes, 0, FIRST_BYTES, 0));
  } finally {
    closeSync(fd);
  }
}
