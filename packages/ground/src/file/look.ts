import { lstatSync, readdirSync, type Stats, statSync } from "node:fs";
import type { Diagnostic } from "../error/diagnostic.ts";
import { diagnose, type Tier } from "../error/diagnostic.ts";
import { kindOf, readRegularSync } from "./regular-file.ts";

/** The maximum size of a text file, in bytes. Source: guarantees R18. */
const MAX_BYTES = 8 * 1024 * 1024;

/** The file, folder or nothing found at a path after following links, or why the path cannot be used. */
export type Look =
  | { readonly kind: "file" | "folder" | "nothing" }
  | { readonly kind: "unusable"; readonly problem: string };

/** Checks what is at a path. Never throws. */
export function lookAt(path: string): Look {
  let found: Stats;
  try {
    found = statSync(path);
  } catch (thrown) {
    const problem = problemOf(path, thrown as NodeJS.ErrnoException);
    return problem === undefined ? { kind: "nothing" } : { kind: "unusable", problem };
  }
  if (found.isDirectory()) return { kind: "folder" };
  if (!found.isFile()) return { kind: "unusable", problem: `it is ${kindOf(found)}, not a file` };
  return found.size > MAX_BYTES ? { kind: "unusable", problem: "it is larger than 8 MiB" } : { kind: "file" };
}

/** Receives reports about unusable paths in a search. */
export interface Searching {
  readonly tier: Tier;
  report(diagnostic: Diagnostic): void;
}

/** Reports no unusable paths, for example because another search of the same paths reports them. */
export const QUIETLY: Searching = { tier: "project", report: () => {} };

/** Returns the kind of what is at a path. An unusable path is reported and counts as nothing. */
export function kindAt(path: string, searching = QUIETLY): "file" | "folder" | "nothing" {
  const look = lookAt(path);
  if (look.kind !== "unusable") return look.kind;
  unreadable(path, look.problem, searching);
  return "nothing";
}

/** Returns the names in a folder in byte order; empty if it does not exist. Reports a folder that cannot be listed. */
export function namesIn(folder: string, searching = QUIETLY): string[] {
  try {
    return readdirSync(folder).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  } catch (thrown) {
    const problem = problemOf(folder, thrown as NodeJS.ErrnoException);
    if (problem !== undefined) unreadable(folder, problem, searching);
    return [];
  }
}

/** Reports a search that found more than `most` folders, for example because a link leads to a whole disk. */
export function tooManyFolders(path: string, most: number, tier: Tier): Diagnostic {
  const problem = `it contains more than ${most} folders, so it is not searched`;
  return diagnose("UNREADABLE", { path, problem }, { source: { path, tier } });
}

/** Reports a file at a path where a folder is expected. */
export function tellFile(path: string, searching: Searching): void {
  unreadable(path, "it is a file, and a folder is expected", searching);
}

/** Returns the text of a file. Throws an error whose message is meant for the user. */
export function textAt(path: string): string {
  const look = lookAt(path);
  if (look.kind === "unusable") throw new Error(look.problem);
  if (look.kind !== "file") throw new Error(look.kind === "folder" ? "it is a folder" : "it is not there any more");
  return readRegularSync(path).toString("utf8");
}

function unreadable(path: string, problem: string, { tier, report }: Searching): void {
  report(diagnose("UNREADABLE", { path, problem }, { source: { path, tier } }));
}

/** Describes why an existing path cannot be used; `undefined` if nothing is there. */
function problemOf(path: string, { code, message }: NodeJS.ErrnoException): string | undefined {
  if (code === "ENOENT" || code === "ENOTDIR") {
    // Node replaces the invalid bytes of a name that is not UTF-8, and then cannot find the file.
    if (path.includes("\uFFFD")) return "its name is not UTF-8; rename it";
    return isLink(path) ? "it is a link that leads nowhere" : undefined;
  }
  if (code === "ELOOP") return "it is a link that leads back to itself";
  if (code === "EACCES" || code === "EPERM") return "this user may not read it";
  return message;
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}
