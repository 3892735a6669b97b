import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Escapes what esbuild leaves beyond ASCII in built files, which is in regular expressions. V8 keeps the source of a
 * module with one character beyond Latin-1 in two bytes for each character, and a launch loads two megabytes.
 */
export function escapeBeyondAscii(dist: string, files: Iterable<string>): void {
  for (const file of files) {
    const path = join(dist, file);
    const text = readFileSync(path, "utf8");
    const escaped = text.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
    if (escaped !== text) writeFileSync(path, escaped);
  }
}
