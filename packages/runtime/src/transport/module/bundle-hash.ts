import { hash } from "node:crypto";
import type { LoadedFile } from "../../port/module.ts";

/**
 * Returns one SHA-256 in hex over a module graph: its paths and the bytes at each. The order of the imports does not
 * matter, but which file is the entry does.
 */
export function bundleHash(files: readonly LoadedFile[]): string {
  const [entry, ...rest] = files.map((file) => `${JSON.stringify(file.path)} ${file.sha256}\n`);
  return hash("sha256", [entry ?? "", ...rest.sort()].join(""));
}
