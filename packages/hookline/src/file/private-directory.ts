import { mkdirSync } from "node:fs";

/** Makes a folder and its missing parents readable by their owner only; throws what the file system throws. */
export function makePrivateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}
