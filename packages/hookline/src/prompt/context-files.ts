import { readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

/** A file whose text belongs to every system prompt. */
export interface ContextFile {
  readonly path: string;
  readonly content: string;
}

const NAMES = ["AGENTS.override.md", "AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD"];

/**
 * The `AGENTS.md` or `CLAUDE.md` of hookline's home, then those of the working directory and the folders above it,
 * the outermost first; one for each folder.
 */
export function findContextFiles(cwd: string, hooklineHome: string): ContextFile[] {
  const folders: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    folders.unshift(folder);
    if (dirname(folder) === folder) break;
  }
  const seen = new Set<string>();
  return [hooklineHome, ...folders].flatMap((folder) => {
    const file = contextFileIn(folder);
    if (file === undefined || seen.has(file.real)) return [];
    seen.add(file.real);
    return [{ path: file.path, content: file.content }];
  });
}

function contextFileIn(folder: string): (ContextFile & { readonly real: string }) | undefined {
  for (const name of NAMES) {
    const path = join(folder, name);
    try {
      return { path, content: readFileSync(path, "utf8"), real: realpathSync(path) };
    } catch {
      // Not there, or not readable: the next name is tried.
    }
  }
  return undefined;
}
