import { isAbsolute, join, resolve } from "node:path";
import type { Tier } from "@hookline/ground";
import type { Scan } from "./dialect.ts";
import { isOfProject } from "./project.ts";

/** A folder in which a program keeps its files, with the tier of its owner: the person or the project. */
export interface HomeFolder {
  readonly path: string;
  readonly tier: Extract<Tier, "user" | "project">;
}

/**
 * Returns a program's folders, in order: the usual one, or the one that a variable names instead. If the variable's
 * value is relative or leads into the session's project, both are returned, and the named one is the project's (ruling
 * 58).
 */
export function homeFolders(
  { cwd, home, env, files }: Pick<Scan, "cwd" | "home" | "env" | "files">,
  variable: string,
  usual: string,
): HomeFolder[] {
  const given = env[variable] ?? "";
  const own: HomeFolder = { path: usual, tier: "user" };
  if (given === "") return [own];
  const isAtHome = given.startsWith("~/");
  const path = isAtHome ? join(home, given.slice(2)) : resolve(cwd, given);
  const isProjects = (!isAtHome && !isAbsolute(given)) || isOfProject(path, usual, { cwd, home, files });
  return isProjects ? [own, { path, tier: "project" }] : [{ path, tier: "user" }];
}

/** Returns hookline's own folder, and the project's folder that `HOOKLINE_HOME` names, if any. */
export function hooklineFolders(scan: Pick<Scan, "cwd" | "home" | "env" | "files" | "hooklineHome">): HomeFolder[] {
  const [, relative] = homeFolders(scan, "HOOKLINE_HOME", scan.hooklineHome);
  const own: HomeFolder = { path: scan.hooklineHome, tier: "user" };
  return relative === undefined ? [own] : [own, relative];
}
