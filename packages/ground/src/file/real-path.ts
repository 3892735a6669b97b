import { realpathSync } from "node:fs";

/** Resolves the links in a path. Returns the path itself if that fails. */
export function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
