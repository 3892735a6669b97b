import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { diagnose, messageOf } from "@hookline/ground";
import { lookAt, textAt } from "@hookline/ground/system";
import type { Diagnostic } from "@hookline/runtime";

/** A file whose text is part of every system prompt. */
export interface ContextFile {
  readonly path: string;
  readonly content: string;
}

const NAMES = ["AGENTS.override.md", "AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD"];

/**
 * Finds the `AGENTS.md` or `CLAUDE.md` of hookline's home, then those of the working directory and the folders above
 * it. The outermost folder comes first, with one file per folder. An unreadable file is reported, and the other name is
 * tried.
 */
export function findContextFiles(
  cwd: string,
  hooklineHome: string,
  report: (diagnostic: Diagnostic) => void = () => {},
): ContextFile[] {
  const folders: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    folders.unshift(folder);
    if (dirname(folder) === folder) break;
  }
  const seen = new Set<string>();
  return [hooklineHome, ...folders].flatMap((folder) => {
    const file = contextFileIn(folder, report);
    if (file === undefined || seen.has(file.real)) return [];
    seen.add(file.real);
    return [{ path: file.path, content: file.content }];
  });
}

function contextFileIn(
  folder: string,
  report: (diagnostic: Diagnostic) => void,
): (ContextFile & { readonly real: string }) | undefined {
  for (const name of NAMES) {
    const path = join(folder, name);
    if (lookAt(path).kind === "nothing") continue;
    try {
      return { path, content: textAt(path), real: realpathSync.native(path) };
    } catch (thrown) {
      report(diagnose("UNREADABLE", { path, problem: messageOf(thrown) }));
    }
  }
  return undefined;
}
