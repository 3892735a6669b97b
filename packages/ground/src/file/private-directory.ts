import { mkdirSync } from "node:fs";

/** Creates a folder and its missing parents, accessible to their owner only. Throws file system errors. */
export function makePrivateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}
