import { isAbsolute, join, resolve } from "node:path";
import type { Tier } from "../error/diagnostic.ts";
import type { Scan } from "./dialect.ts";

/** A folder that a variable or a rule names, and whose it is. */
export interface HomeFolder {
  readonly path: string;
  readonly tier: Extract<Tier, "user" | "project">;
}

/**
 * The folders of a program whose home a variable may move, in order. A relative value is in whatever project the agent
 * is started in: it counts as the project's, in addition to the person's usual folder (decision 58).
 */
export function homeFolders(
  { cwd, home, env }: Pick<Scan, "cwd" | "home" | "env">,
  variable: string,
  usual: string,
): HomeFolder[] {
  const given = env[variable] ?? "";
  if (given.startsWith("~/")) return [{ path: join(home, given.slice(2)), tier: "user" }];
  if (given !== "" && isAbsolute(given)) return [{ path: given, tier: "user" }];
  const own: HomeFolder = { path: usual, tier: "user" };
  return given === "" ? [own] : [own, { path: resolve(cwd, given), tier: "project" }];
}

/** hookline's own folder, and the one that a relative `HOOKLINE_HOME` names, which is the project's. */
export function hooklineFolders(scan: Pick<Scan, "cwd" | "home" | "env" | "hooklineHome">): HomeFolder[] {
  const [, relative] = homeFolders(scan, "HOOKLINE_HOME", scan.hooklineHome);
  const own: HomeFolder = { path: scan.hooklineHome, tier: "user" };
  return relative === undefined ? [own] : [own, relative];
}
