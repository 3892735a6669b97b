import { mkdirSync } from "node:fs";

/** Creates a folder and its missing parents, accessible only to their owner; throws the file system's errors. */
export function makePrivateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}
