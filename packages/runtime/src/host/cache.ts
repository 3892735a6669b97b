import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TextCache } from "../port/cache.ts";

/** A cache of one file for each key, readable by its owner only. Unreadable or unwritable entries are not cached. */
export function fileCache(folder: string): TextCache {
  const pathOf = (key: string): string => join(folder, key.replaceAll(/[^\w.-]/g, "_"));
  return {
    get(key) {
      try {
        return readFileSync(pathOf(key), "utf8");
      } catch {
        return undefined;
      }
    },
    put(key, text) {
      const path = pathOf(key);
      const next = `${path}.${process.pid}`;
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(next, text, { mode: 0o600 });
        renameSync(next, path);
      } catch {
        // A full or read-only disk must not keep a hook from running.
      }
    },
  };
}
