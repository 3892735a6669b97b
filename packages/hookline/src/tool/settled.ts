import { readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { join, parse } from "node:path";
import { fileId } from "@hookline/ground/system";
import { realAsFar, spellingsOf, withPlainSpaces } from "@hookline/runtime/engine";
import { expandPath, resolveToCwd } from "./path.ts";
import type { Tool } from "./tool.ts";

/** The file system calls that find a path's spelling on disk. Each returns `undefined` for a missing path. */
export interface Disk {
  stat(path: string): Pick<Stats, "dev" | "ino"> | undefined;
  list(path: string): readonly string[] | undefined;
  real(path: string): string | undefined;
}

const attempt = <T>(ask: () => T): T | undefined => {
  try {
    return ask();
  } catch {
    return undefined;
  }
};

const systemDisk: Disk = {
  stat: (path) => attempt(() => statSync(path)),
  list: (path) => attempt(() => readdirSync(path)),
  real: (path) => attempt(() => realpathSync.native(path)),
};

/** The identity of a file at the time when guards were asked about it. `id` is undefined if there was no file. */
interface Judged {
  readonly id: string | undefined;
  readonly real: string;
}

/** The largest number of paths that are remembered; the oldest are dropped. */
const MOST_PATHS = 1_000;

/**
 * Spells paths in one tool's calls as on disk, before guards are asked. The file that is opened later must be the one
 * that guards were asked about.
 */
export class SettledPaths {
  readonly #cwd: string;
  readonly #disk: Disk;
  readonly #judged = new Map<string, Judged>();

  constructor(cwd: string, disk: Disk = systemDisk) {
    this.#cwd = cwd;
    this.#disk = disk;
  }

  /**
   * Returns a call's path as it is spelled on disk, and remembers the file. With `tries`, a missing file is also looked
   * for in other spellings: those of macOS for screenshots, decomposed letters and curly apostrophes.
   */
  settle(given: string, { tries = false }: { readonly tries?: boolean } = {}): string {
    const exists = (path: string): boolean => this.#disk.stat(resolveToCwd(path, this.#cwd)) !== undefined;
    const spaced = exists(given) ? given : withPlainSpaces(given);
    const expanded = expandPath(spaced);
    const other = tries && !exists(expanded) ? spellingsOf(expanded).find(exists) : undefined;
    const written = other ?? (expanded.startsWith("@") ? spaced : expanded);
    const path = resolveToCwd(written, this.#cwd);
    const named = listedName(path, this.#disk);
    this.#remember(named);
    return named === path ? written : named;
  }

  /** Returns `settle` for a tool's `path`: spells it as on disk or, for a remote tool, only replaces unusual spaces. */
  settling(isLocal: boolean, options: { readonly tries?: boolean } = {}): Pick<Tool, "settle"> {
    const settled = (path: string): string => (isLocal ? this.settle(path, options) : withPlainSpaces(path));
    return {
      settle(params) {
        const { path } = params;
        return typeof path === "string" && path !== "" ? { ...params, path: settled(path) } : params;
      },
    };
  }

  /** Throws an error for the model if an opened file is not the one that guards were asked about. */
  confirm(path: string, opened: Pick<Stats, "dev" | "ino" | "nlink" | "isDirectory">): void {
    const judged = this.#judged.get(path);
    if (judged === undefined) return;
    const isNew = judged.id === undefined && (opened.nlink < 2 || opened.isDirectory());
    if (isNew ? this.#disk.real(path) === judged.real : judged.id === fileId(opened)) return;
    throw new Error(
      `${path} was replaced after the guards had been asked about it, so it was not opened. Make the call again.`,
    );
  }

  #remember(path: string): void {
    const found = this.#disk.stat(path);
    this.#judged.delete(path);
    this.#judged.set(path, { id: found && fileId(found), real: realAsFar(path, this.#disk) });
    for (const [oldest] of this.#judged) if (this.#judged.size > MOST_PATHS) this.#judged.delete(oldest);
  }
}

/** Returns the path in the letter case that the folders list, if the file system ignores case. */
function listedName(path: string, disk: Disk): string {
  const found = disk.stat(path);
  if (found === undefined || !isFolded(path, found, disk)) return path;
  const { root } = parse(path);
  let at = root;
  for (const name of path.slice(root.length).split(/[\\/]/)) {
    const names = disk.list(at) ?? [];
    const same = names.includes(name) ? name : names.find((one) => folded(one) === folded(name));
    at = join(at, same ?? name);
  }
  return at;
}

/** Whether the file system ignores case: it finds the same file with upper and lower case swapped. */
function isFolded(path: string, found: Pick<Stats, "dev" | "ino">, disk: Disk): boolean {
  const swapped = [...path].map((one) => (one === one.toLowerCase() ? one.toUpperCase() : one.toLowerCase())).join("");
  const other = swapped === path ? undefined : disk.stat(swapped);
  return other !== undefined && fileId(other) === fileId(found);
}

function folded(name: string): string {
  return name.normalize("NFC").toLowerCase();
}
