import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { throwIfAborted } from "./abort.ts";
import { type IgnoreRules, isIgnored, rulesAbove, rulesIn } from "./ignore-rules.ts";

/** Something below the folder that a walk began in. */
export interface WalkEntry {
  readonly path: string;
  /** From the folder that the walk began in, with forward slashes. */
  readonly relative: string;
  /** Links are `other`: a walk never follows them. */
  readonly kind: "file" | "folder" | "other";
}

/** How a walk goes. */
export interface WalkOptions {
  /** Outside of a repository, ignore files are read from here down. */
  readonly cwd: string;
  readonly signal?: AbortSignal | undefined;
  /** Leaves an entry out, and what is below it. */
  skip?(entry: WalkEntry): boolean;
  /** Told of each folder that could not be read. */
  onUnreadable?(path: string): void;
}

/**
 * Goes through a folder, folders before what they hold, in the order of the names' UTF-16 units.
 * Leaves out `.git` and what `.gitignore`, `.ignore` and `.git/info/exclude` name.
 */
export async function* walk(root: string, options: WalkOptions): AsyncGenerator<WalkEntry> {
  yield* walkFolder({ path: root, prefix: "" }, await rulesAbove(root, options.cwd), options);
}

interface Folder {
  readonly path: string;
  readonly prefix: string;
}

async function* walkFolder(folder: Folder, above: IgnoreRules, options: WalkOptions): AsyncGenerator<WalkEntry> {
  const found = await entriesOf(folder.path, options);
  const names = found.map((entry) => entry.name);
  const rules = await rulesIn(folder.path, above, names);
  for (const { name, kind } of found) {
    throwIfAborted(options.signal);
    const entry: WalkEntry = { path: join(folder.path, name), relative: folder.prefix + name, kind };
    const isFolder = kind === "folder";
    if (name === ".git" || isIgnored(rules, entry.path, isFolder) || options.skip?.(entry)) continue;
    yield entry;
    if (isFolder) yield* walkFolder({ path: entry.path, prefix: `${entry.relative}/` }, rules, options);
  }
}

async function entriesOf(folder: string, options: WalkOptions): Promise<{ name: string; kind: WalkEntry["kind"] }[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    options.onUnreadable?.(folder);
    return [];
  }
}

function kindOf(entry: Dirent): WalkEntry["kind"] {
  return entry.isDirectory() ? "folder" : entry.isFile() ? "file" : "other";
}
