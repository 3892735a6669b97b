import { lstatSync, readdirSync, type Stats, statSync } from "node:fs";
import type { Diagnostic } from "@hookline/runtime";
import { diagnose, type Tier } from "@hookline/runtime/internal";
import { kindOf, readRegularSync } from "./regular-file.ts";

/** Largest file of texts that is read, in bytes. Source: guarantees R18. */
const MAX_BYTES = 8 * 1024 * 1024;

/** What is at a path, links followed, and why it is of no use. Only what is not there at all has no problem. */
export type Look =
  | { readonly kind: "file" | "folder" | "nothing" }
  | { readonly kind: "unusable"; readonly problem: string };

/** Looks at a path; whatever is there, it does not throw. */
export function lookAt(path: string): Look {
  let found: Stats;
  try {
    found = statSync(path);
  } catch (thrown) {
    const problem = problemOf(path, thrown as NodeJS.ErrnoException);
    return problem === undefined ? { kind: "nothing" } : { kind: "unusable", problem };
  }
  if (found.isDirectory()) return { kind: "folder" };
  if (!found.isFile()) return { kind: "unusable", problem: `it is ${kindOf(found)}, and no file` };
  return found.size > MAX_BYTES ? { kind: "unusable", problem: "it is larger than 8 MiB" } : { kind: "file" };
}

/** What hears of a path that is of no use. */
export interface Searching {
  readonly tier: Tier;
  report(diagnostic: Diagnostic): void;
}

/** A search whose problems somebody else tells. */
export const QUIETLY: Searching = { tier: "project", report: () => {} };

/** The kind of what is at a path of a place that is searched; what is of no use is reported, and is nothing. */
export function kindAt(path: string, searching = QUIETLY): "file" | "folder" | "nothing" {
  const look = lookAt(path);
  if (look.kind !== "unusable") return look.kind;
  unreadable(path, look.problem, searching);
  return "nothing";
}

/** Names in a folder in byte order; none where there is no such folder. One that cannot be listed is reported. */
export function namesIn(folder: string, searching = QUIETLY): string[] {
  try {
    return readdirSync(folder).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  } catch (thrown) {
    const problem = problemOf(folder, thrown as NodeJS.ErrnoException);
    if (problem !== undefined) unreadable(folder, problem, searching);
    return [];
  }
}

/** The text of a file; throws what a person is told where it has none. */
export function textAt(path: string): string {
  const look = lookAt(path);
  if (look.kind === "unusable") throw new Error(look.problem);
  if (look.kind !== "file") throw new Error(look.kind === "folder" ? "it is a folder" : "it is not there any more");
  return readRegularSync(path).toString("utf8");
}

function unreadable(path: string, problem: string, { tier, report }: Searching): void {
  report(diagnose("UNREADABLE", { path, problem }, { source: { path, tier } }));
}

/** Why something that is there cannot be used; undefined where nothing is there. */
function problemOf(path: string, { code, message }: NodeJS.ErrnoException): string | undefined {
  if (code === "ENOENT" || code === "ENOTDIR") {
    // Names that Node cannot spell lead nowhere.
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
