import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { sep } from "node:path";
import { throwIfAborted } from "./abort.ts";
import { type IgnoreRules, isIgnored, rulesAbove, rulesIn } from "./ignore-rules.ts";

/** The number of folders that are read ahead. */
const AHEAD = 8;
const BLOCK = 512;

/** An entry below the start folder of a walk. */
export interface WalkEntry {
  readonly path: string;
  /** The path relative to the start folder, with forward slashes. */
  readonly relative: string;
  /** The kind of the entry. A link is `other`, because a walk never follows links. */
  readonly kind: "file" | "folder" | "other";
  readonly folder: WalkedFolder;
}

/** A folder that was walked. All of its entries share this object. */
export interface WalkedFolder {
  readonly path: string;
  /** The number of files directly in the folder, including files that the walk leaves out. */
  readonly files: number;
}

/** Says which entries a walk skips, and when it ends. */
export interface WalkOptions {
  /** The folder from which ignore files are read outside of a repository. */
  readonly cwd: string;
  readonly signal?: AbortSignal | undefined;
  /** Whether to skip an entry and everything below it. */
  skip?(entry: WalkEntry): boolean;
  /** Is called when the walk reaches an unreadable folder. */
  onUnreadable?(path: string): void;
}

/**
 * Walks a folder, sorted by the UTF-16 units of names. A folder comes before its content. Skips `.git`, and what
 * `.gitignore`, `.ignore` and `.git/info/exclude` exclude.
 */
export async function* walk(root: string, options: WalkOptions): AsyncGenerator<WalkEntry> {
  for await (const block of walkBlocks(root, options)) {
    for (const entry of block) {
      throwIfAborted(options.signal);
      yield entry;
    }
  }
}

/** Walks a folder like `walk`, but yields many entries at a time, which is faster. */
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

/** The content of a folder, without skipped entries. */
interface Listing {
  readonly folder: Folder;
  readonly entries: readonly WalkEntry[];
  readonly rules: IgnoreRules;
  readonly isUnreadable: boolean;
}

/** Yields the entries of a folder, and reads its next subfolders ahead. */
function entered({ folder, entries, rules, isUnreadable }: Listing, options: WalkOptions) {
  if (isUnreadable) options.onUnreadable?.(folder.path);
  const folders = entries.filter(({ kind }) => kind === "folder");
  const pending: Promise<Listing>[] = [];
  let at = 0;
  let begun = 0;
  return {
    next: (): WalkEntry | undefined => entries[at++],
    /** Returns the content of the next subfolder. Must be called once for each subfolder, in order. */
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
  const walked = { path: folder.path, files: found.filter((entry) => entry.isFile()).length };
  const entries = found
    .map((entry) => ({
      path: folder.inside + entry.name,
      relative: folder.prefix + entry.name,
      kind: kindOf(entry),
      folder: walked,
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
