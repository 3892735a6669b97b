import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { NAME } from "../name/subjects.ts";

/** Paths of one writer's files. */
export interface WriterPlace {
  readonly writer: string;
  /** Path of the writer's recording, which other programs may read too. */
  readonly recording: string;
  /** Path of the file with the seals of the writer's batches, one on a line; the first line describes the writer. */
  readonly seals: string;
  /** Path of the file that lists the writer's acknowledged batches, each with the time of its acknowledgement. */
  readonly acked: string;
}

/** Returns the paths of a writer's files in the folder of the spool. */
export function writerPlace(folder: string, writer: string): WriterPlace {
  const at = (ending: string): string => join(folder, `${writer}.${ending}`);
  return { writer, recording: at("jsonl"), seals: at("seals"), acked: at("acked") };
}

/** Returns the writers whose files a spool has, oldest first: a name begins with the writer's start. */
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

/** Returns the total size of a spool's files, in bytes. */
export function spoolBytes(folder: string): number {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return 0;
  }
  return names.reduce((sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0);
}
