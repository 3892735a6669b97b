import { readdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";

/** The most files and bytes that a person can approve at once (decision 57). */
const MOST_FILES = 2000;
const MOST_BYTES = 16 * 2 ** 20;
/** Folders of version control and package managers; they contain no instructions. */
const LEFT_OUT: ReadonlySet<string> = new Set([".git", "node_modules", ".venv", "__pycache__"]);

/** All files below a folder in byte order, following links; with a problem if they cannot all be approved. */
export function filesBelow(folder: string): { readonly files: readonly string[]; readonly problem?: string } {
  const files: string[] = [];
  const open = [folder];
  const seen = new Set<string>();
  let bytes = 0;
  try {
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const real = realpathSync(at);
      if (seen.has(real)) continue;
      seen.add(real);
      for (const name of readdirSync(at)) {
        const path = join(at, name);
        const stat = statSync(path, { throwIfNoEntry: false });
        if (stat?.isDirectory() === true && !LEFT_OUT.has(name)) open.push(path);
        if (stat?.isFile() !== true) continue;
        files.push(path);
        bytes += stat.size;
        if (files.length > MOST_FILES || bytes > MOST_BYTES)
          return { files: [], problem: `its folder ${folder} holds more than ${MOST_FILES} files or 16 MiB` };
      }
    }
  } catch (thrown) {
    return { files: [], problem: `its folder ${folder} cannot be read: ${(thrown as Error).message}` };
  }
  return { files: files.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))) };
}
