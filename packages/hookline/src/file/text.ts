import { renameSync } from "node:fs";
import { dirname } from "node:path";
import { makePrivateDirectory } from "./private-directory.ts";
import { readRegularSync } from "./regular-file.ts";
import { throughTemporary, writeFully } from "./replace.ts";

/** A file's text; empty where there is none, or none that can be read. */
export function readText(path: string): string {
  try {
    return readRegularSync(path).toString("utf8");
  } catch {
    return "";
  }
}

/** Puts a text in a file's place, and makes its folder; readers see the old text or the new one. */
export function replaceText(path: string, text: string): void {
  makePrivateDirectory(dirname(path));
  throughTemporary(path, (fd) => writeFully(fd, Buffer.from(text)), renameSync);
}
