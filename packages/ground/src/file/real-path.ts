import { realpathSync } from "node:fs";

/** A path with its links resolved; the path itself if that fails. */
export function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
