import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Folder, folder } from "../stage/ground.ts";

/** Creates a folder with one file, which is removed at the end of the block. */
export function placeFile(path: string, text: string): Folder {
  const made = folder();
  const full = join(made.path, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, text);
  return made;
}
