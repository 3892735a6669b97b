import { readdirSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makePrivateDirectory, readText } from "@hookline/ground/system";
import { type CacheEntry, isCacheId, newEntry, type Output, readEntry } from "./entry.ts";

const META = ".meta.json";
const DAY_S = 86_400;

/** Stores an output in a cache folder: `<id>.cache` and `<id>.meta.json`. Throws the file system's errors. */
export function storeOutput(folder: string, output: Output, now = Date.now()): CacheEntry {
  makePrivateDirectory(folder);
  for (let number = 1; ; number++) {
    const entry = newEntry(output, Math.floor(now / 1000), number);
    const path = contentPath(folder, entry.id);
    try {
      writeFileSync(path, output.text, { flag: "wx", mode: 0o600 });
    } catch (error) {
      // An output of the same tool with the same arguments was stored within this second; try the next number.
      if ((error as NodeJS.ErrnoException).code === "EEXIST") continue;
      remove(path);
      throw error;
    }
    try {
      writeFileSync(metaPath(folder, entry.id), `${JSON.stringify(entry, null, 2)}\n`, { mode: 0o600 });
    } catch (error) {
      remove(path);
      remove(metaPath(folder, entry.id));
      throw error;
    }
    return entry;
  }
}

/** Returns the path of a cached output; throws an error for the model if the id is unknown. */
export function cachedFile(folder: string, id: string): string {
  const path = contentPath(folder, id);
  if (!isCacheId(id) || statSync(path, { throwIfNoEntry: false })?.isFile() !== true)
    throw new Error(`Cache entry not found: ${id}. cache_list shows the ids.`);
  return path;
}

/** Lists the cached outputs of a folder, newest first. */
export function cachedOutputs(folder: string): CacheEntry[] {
  return metaFiles(folder)
    .flatMap((path) => readEntry(readText(path)) ?? [])
    .sort((a, b) => b.timestamp - a.timestamp || (a.id < b.id ? 1 : -1));
}

/** Removes outputs older than this many days; returns their number. */
export function dropOldOutputs(folder: string, maxAgeDays: number, now = Date.now()): number {
  const limit = now / 1000 - maxAgeDays * DAY_S;
  const old = cachedOutputs(folder).filter(({ timestamp }) => timestamp < limit);
  for (const { id } of old) {
    remove(contentPath(folder, id));
    remove(metaPath(folder, id));
  }
  return old.length;
}

function contentPath(folder: string, id: string): string {
  return join(folder, `${id}.cache`);
}

function metaPath(folder: string, id: string): string {
  return join(folder, `${id}${META}`);
}

function metaFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(META))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // The file is already gone, or it cannot be removed and stays.
  }
}
