import { type Dirent, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { messageOf } from "@hookline/ground";
import { wrongUse } from "@hookline/ground/system";
import type { HooklineError } from "@hookline/runtime";
import { sessionDirectory, sessionsRoot } from "../session/directory.ts";
import { findByPrefix } from "../session/find.ts";
import { type FoundFile, recogniseFile } from "./recognise.ts";

/** The folder whose files are shown, and hookline's home. */
export interface InspectedPlace {
  readonly cwd: string;
  readonly hooklineHome: string;
}

/** Finds recordings and sessions of a folder. Each file is recognised only once. */
export class PlaceFiles {
  readonly #place: InspectedPlace;
  readonly #known = new Map<string, { readonly identity: string; readonly file: FoundFile | undefined }>();

  constructor(place: InspectedPlace) {
    this.#place = place;
  }

  /** Lists the files that exist now. A recorded session is represented by its recording. */
  find(): FoundFile[] {
    const { cwd, hooklineHome } = this.#place;
    const recordings = this.#filesIn(join(hooklineHome, "recordings")).filter((file) => file.cwd === cwd);
    const recorded = new Set(recordings.map(({ id }) => id));
    const sessions = this.#filesIn(sessionDirectory(cwd, hooklineHome)).filter(({ id }) => !recorded.has(id));
    return [...recordings, ...sessions];
  }

  #filesIn(folder: string): FoundFile[] {
    return linesFilesIn(folder).flatMap((name) => this.#look(join(folder, name)) ?? []);
  }

  #look(path: string): FoundFile | undefined {
    try {
      const { dev, ino, size } = statSync(path);
      const identity = `${dev}:${ino}:${size > 0}`;
      const known = this.#known.get(path);
      if (known?.identity === identity) return known.file;
      const file = recogniseFile(path);
      this.#known.set(path, { identity, file });
      return file;
    } catch {
      return undefined;
    }
  }
}

/** Returns the file that a word of the command line names. Throws if it names none, or several. */
export function namedFile(word: string, { cwd, hooklineHome }: InspectedPlace): FoundFile {
  const path = resolve(cwd, word);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === false) return recognised(path, word);
  const folder = join(hooklineHome, "recordings");
  const recordings = linesFilesIn(folder).filter((name) => name.startsWith(word));
  const [only, ...more] =
    recordings.length > 0
      ? recordings.map((name) => join(folder, name))
      : findByPrefix(sessionDirectory(cwd, hooklineHome), sessionsRoot(hooklineHome), word);
  if (only === undefined)
    throw wrong(
      word,
      "is neither a file nor the beginning of a session's id",
      "`hookline inspect` without a name lists the recordings and sessions of this folder.",
    );
  if (more.length > 0) throw wrong(word, `begins ${more.length + 1} sessions' ids`, "Write more of the id.");
  return recognised(only, word);
}

function recognised(path: string, word: string): FoundFile {
  let file: FoundFile | undefined;
  try {
    file = recogniseFile(path);
  } catch (thrown) {
    throw wrong(word, `could not be read: ${messageOf(thrown)}`, "Check that it exists and that you may read it.");
  }
  if (file !== undefined) return file;
  throw wrong(
    word,
    "is not a recording, trace, session or replay result",
    "Name a file that `--record`, `--trace`, `hookline replay --out` or an agent's session has written.",
  );
}

function linesFilesIn(folder: string): string[] {
  let entries: Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
  return entries.filter((entry) => entry.isFile() && entry.name.endsWith(".jsonl")).map(({ name }) => name);
}

/** Returns the error for a word of the command line that names no source. */
export function wrong(word: string, problem: string, remedy: string): HooklineError {
  return wrongUse(`The source ${word}`, problem, remedy);
}
