import { renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { makePrivateDirectory } from "./private-directory.ts";
import { readRegularSync } from "./regular-file.ts";
import { throughTemporary } from "./replace.ts";

/** Returns a file's text; empty if the file is missing or unreadable. */
export function readText(path: string): string {
  try {
    return readRegularSync(path).toString("utf8");
  } catch {
    return "";
  }
}

/** Replaces a file by one with this text, and creates its folder. Readers see either the old or the new text. */
export function replaceText(path: string, text: string): void {
  makePrivateDirectory(dirname(path));
  throughTemporary(path, (fd) => writeFileSync(fd, Buffer.from(text)), renameSync);
}
