import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { sep } from "node:path";
import { throwIfAborted } from "./abort.ts";
import { type IgnoreRules, isIgnored, rulesAbove, rulesIn } from "./ignore-rules.ts";

/** Folders that are read before their turn comes. */
const AHEAD = 8;
const BLOCK = 512;

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
  /** Told of each folder that could not be read, when its turn comes. */
  onUnreadable?(path: string): void;
}

/**
 * Goes through a folder, folders before what they hold, in the order of the names' UTF-16 units.
 * Leaves out `.git` and what `.gitignore`, `.ignore` and `.git/info/exclude` name.
 */
export async function* walk(root: string, options: WalkOptions): AsyncGenerator<WalkEntry> {
  for await (const block of walkBlocks(root, options)) {
    for (const entry of block) {
      throwIfAborted(options.signal);
      yield entry;
    }
  }
}

/** The same walk, many entries at a time. */
export async function* walkBlocks(root: string, options: WalkOptions): AsyncGenerator<readonly WalkEntry[]> {
  const top = { path: root, prefix: "", inside: root.endsWith(sep) ? root : root + sep };
  const open = [entered(await read(top, await rulesAbove(root, options.cwd), options), options)];
  let block: WalkEntry[] = [];
  for (let folder = open.at(-1); folder !== undefined; folder = open.at(-1)) {
    throwIfAborted(options.signal);
    const entry = folder.next();
    if (entry === undefined) open.pop();
    else {
      block.push(entry);
      if (entry.kind === "folder") open.push(entered(await folder.enter(), options));
    }
    if (block.length < BLOCK) continue;
    yield block;
    block = [];
  }
  yield block;
}

interface Folder {
  readonly path: string;
  readonly prefix: string;
  /** The path with a separator at its end. */
  readonly inside: string;
}

/** What a folder holds, without what is left out. */
interface Listing {
  readonly folder: Folder;
  readonly entries: readonly WalkEntry[];
  readonly rules: IgnoreRules;
  readonly isUnreadable: boolean;
}

/** A folder that the walk is in: gives its entries one after the other and reads the next folders in advance. */
function entered({ folder, entries, rules, isUnreadable }: Listing, options: WalkOptions) {
  if (isUnreadable) options.onUnreadable?.(folder.path);
  const folders = entries.filter(({ kind }) => kind === "folder");
  const pending: Promise<Listing>[] = [];
  let at = 0;
  let begun = 0;
  return {
    next: (): WalkEntry | undefined => entries[at++],
    /** Must be called once for each folder among the entries, in their order. */
    enter(): Promise<Listing> {
      for (; begun < folders.length && pending.length < AHEAD; begun++) {
        const { path, relative } = folders[begun] as WalkEntry;
        pending.push(read({ path, prefix: `${relative}/`, inside: path + sep }, rules, options));
      }
      return pending.shift() as Promise<Listing>;
    },
  };
}

async function read(folder: Folder, above: IgnoreRules, options: WalkOptions): Promise<Listing> {
  let found: Dirent[];
  try {
    found = await readdir(folder.path, { withFileTypes: true });
  } catch {
    return { folder, entries: [], rules: above, isUnreadable: true };
  }
  const rules = await rulesIn(folder.path, above, found);
  const entries = found
    .map((entry) => ({
      path: folder.inside + entry.name,
      relative: folder.prefix + entry.name,
      kind: kindOf(entry),
      name: entry.name,
    }))
    .filter(
      (entry) =>
        entry.name !== ".git" && !isIgnored(rules, entry.path, entry.kind === "folder") && !options.skip?.(entry),
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return { folder, entries, rules, isUnreadable: false };
}

function kindOf(entry: Dirent): WalkEntry["kind"] {
  return entry.isDirectory() ? "folder" : entry.isFile() ? "file" : "other";
}
