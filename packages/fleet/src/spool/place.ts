import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { NAME } from "../name/subjects.ts";

/** The files of one writer. */
export interface WriterPlace {
  readonly writer: string;
  /** Its recording, which other programs may read too. */
  readonly recording: string;
  /** The seals of its batches, one on a line, behind a line about the writer. */
  readonly seals: string;
  /** Which batches are in the stream, and since when. */
  readonly acked: string;
}

/** The files of a writer in the folder of the spool. */
export function writerPlace(folder: string, writer: string): WriterPlace {
  const at = (ending: string): string => join(folder, `${writer}.${ending}`);
  return { writer, recording: at("jsonl"), seals: at("seals"), acked: at("acked") };
}

/** The writers that a spool has files of, oldest name first. */
export function writersIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".seals"))
      .map((name) => name.slice(0, -".seals".length))
      .filter((name) => NAME.test(name))
      .sort();
  } catch {
    return [];
  }
}

/** How many bytes all files of a spool have. */
export function spoolBytes(folder: string): number {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return 0;
  }
  return names.reduce((sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0);
}
