import type { DirEntry, FileStat, Files } from "../port/files.ts";
import { folded } from "./names.ts";

/** A folder's content, for looking up names. */
export interface Listing {
  /** The names of its entries, by each folded name that may stand for one: the whole name, or its part before a dot. */
  readonly byKey: ReadonlyMap<string, readonly string[]>;
  readonly names: readonly string[];
}

/** Files that are each read once, so that one check of a project is cheap and consistent. */
export class SteadyFiles implements Files {
  readonly read: Files["read"];
  readonly stat: Files["stat"];
  readonly list: Files["list"];
  readonly real: Files["real"];
  /** A folder's content; empty if it does not exist. */
  readonly listing: (folder: string) => Listing;

  constructor(files: Files) {
    this.read = kept<Uint8Array | undefined>((path) => files.read(path));
    this.stat = kept<FileStat | undefined>((path) => files.stat(path));
    this.list = kept<readonly DirEntry[] | undefined>((path) => files.list(path));
    this.real = kept<string | undefined>((path) => files.real(path));
    this.listing = kept((folder) => listingOf((this.list(folder) ?? []).map(({ name }) => name)));
  }
}

/** The same files, each read once; files that already are so are used as they are. */
export function steady(files: Files): SteadyFiles {
  return files instanceof SteadyFiles ? files : new SteadyFiles(files);
}

function kept<T>(look: (path: string) => T): (path: string) => T {
  const known = new Map<string, T>();
  return (path) => {
    if (known.has(path)) return known.get(path) as T;
    const found = look(path);
    known.set(path, found);
    return found;
  };
}

function listingOf(names: readonly string[]): Listing {
  const byKey = new Map<string, string[]>();
  const add = (key: string, name: string): void => {
    const there = byKey.get(key);
    if (there === undefined) byKey.set(key, [name]);
    else there.push(name);
  };
  for (const name of names) {
    const whole = folded(name);
    add(whole, name);
    for (let dot = whole.indexOf(".", 1); dot > 0; dot = whole.indexOf(".", dot + 1)) add(whole.slice(0, dot), name);
  }
  return { byKey, names };
}
