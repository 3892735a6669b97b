import { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import type { HandedFile, HomePlace, OwnSettings } from "../dialect/about.ts";
import type { Dialect } from "../dialect/dialect.ts";

/** The options with which a session loads the files that `placeFiles` was given. */
export interface Placed {
  /** The files to load as if they were named with `-e`. */
  readonly explicit: readonly string[];
  /** Settings without which a dialect would not load its files. */
  readonly own: OwnSettings;
}

/**
 * Puts hook files into an empty home folder, each where the first dialect that knows its kind looks for it. Every other
 * file is treated as if named with `-e` (a prefix sets the dialect: `omp:PATH`, `pi:PATH`). Throws for missing files.
 */
export function placeFiles(files: readonly string[], home: string, dialects: readonly Dialect[]): Placed {
  const explicit: string[] = [];
  const own: Record<string, Record<string, readonly string[]>> = {};
  const prefixes = dialects.flatMap(({ about }) => about?.prefixes ?? []);
  for (const text of files) {
    const prefix = prefixes.find((one) => text.startsWith(`${one}:`));
    const path = resolve(prefix === undefined ? text : text.slice(prefix.length + 1));
    if (!existsSync(path)) throw new Error(`There is no hook file ${path}; correct the path.`);
    const found = prefix === undefined ? placeOf(handed(path), dialects) : undefined;
    if (found === undefined) explicit.push(prefix === undefined ? path : `${prefix}:${path}`);
    else {
      put(path, join(home, found.place.path), found.place.reexports === true);
      const settings = (own[found.id] ??= {});
      for (const [name, values] of Object.entries(found.place.settings ?? {}))
        settings[name] = [...(settings[name] ?? []), ...values];
    }
  }
  return { explicit, own };
}

function handed(path: string): HandedFile {
  return { path, isFolder: statSync(path).isDirectory(), has: (name) => existsSync(join(path, name)) };
}

function placeOf(file: HandedFile, dialects: readonly Dialect[]): { id: string; place: HomePlace } | undefined {
  for (const { id, about } of dialects) {
    const place = about?.homePlace?.(file);
    if (place !== undefined) return { id, place };
  }
  return undefined;
}

function put(path: string, place: string, reexports: boolean): void {
  mkdirSync(dirname(place), { recursive: true });
  if (existsSync(place))
    throw new Error(`${path} and another file would both be ${place.split(sep).slice(-2).join(sep)}; test them apart.`);
  if (reexports) writeFileSync(place, `export { default } from ${JSON.stringify(path)};\n`);
  else symlinkSync(path, place);
}
