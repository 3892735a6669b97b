import { accessSync, constants, lstatSync, readdirSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import { TrustStore } from "@hookline/runtime";
import { deadRuns } from "@hookline/runtime/session";
import { broken, type Check, fine, listed } from "./check.ts";

/** Files of hookline's home that only the owner may read or write (guarantees R51). */
const PRIVATE = ["trust.json", "sessions", "stats", "run", "cache/approved", "fleet"];
const MOST = 20_000;

/** Checks hookline's home, its private files, the trust store, and what killed runs have left behind. */
export function fileChecks(home: string): Check[] {
  return [homeCheck(home), privateCheck(home), trustCheck(home), runsCheck(home)];
}

/** Checks that hookline's home can be written, or created. */
export function homeCheck(home: string): Check {
  let place = home;
  try {
    place = existing(home);
    // `/.` at the end makes this fail if the path is a file and no folder.
    accessSync(`${place}/.`, constants.R_OK | constants.W_OK);
    return fine("home", place === home ? home : `${home} is created when it is first needed`);
  } catch {
    return broken("home", `${place} cannot be written, so no session is kept`, "Make the folder yours and writable.");
  }
}

/** Returns a path, or the nearest existing folder above it. */
function existing(path: string): string {
  const above = dirname(path);
  return path === above || statOf(path) !== undefined ? path : existing(above);
}

/** Returns the stats of a file or folder; undefined if it is missing, or if a file is in place of a folder above it. */
function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

function privateCheck(home: string): Check {
  const loose: string[] = [];
  const links: string[] = [];
  let looked = 0;
  const look = (path: string): void => {
    const stat = statOf(path);
    if (stat === undefined || looked++ > MOST) return;
    if (stat.isSymbolicLink()) links.push(path);
    else if ((stat.mode & 0o077) !== 0) loose.push(path);
    if (stat.isDirectory()) for (const name of names(path)) look(join(path, name));
  };
  for (const path of PRIVATE) look(join(home, path));
  if (links.length > 0)
    return broken(
      "permissions",
      `symbolic links are in place of private files: ${listed(links)}`,
      "Replace each link with the file itself.",
    );
  return loose.length > 0
    ? broken(
        "permissions",
        `other users can read ${listed(loose)}`,
        `Run: chmod -R go= ${[...new Set(loose.map((path) => top(path, home)))].join(" ")}`,
      )
    : fine("permissions", "private files are private");
}

function trustCheck(home: string): Check {
  const store = new TrustStore(home);
  const { problem } = store;
  if (problem !== undefined) return broken("trust", `${store.path} is not used: ${problem.problem}`, problem.remedy);
  return fine("trust", `${store.list().length} hooks of projects are approved`);
}

/**
 * Checks for killed runs whose processes may still exist. The next session ends these processes, and deletes the record
 * of the run if that succeeds.
 */
function runsCheck(home: string): Check {
  const dead = deadRuns(join(home, "run")).filter(({ mayHaveLeft }) => mayHaveLeft);
  return dead.length === 0
    ? fine("processes", "no earlier run has left processes behind")
    : broken(
        "processes",
        `${dead.length === 1 ? "1 run was" : `${dead.length} runs were`} killed, and may have left processes behind`,
        "Start a session, which ends them; end by hand those that are still listed then.",
      );
}

function top(path: string, home: string): string {
  return PRIVATE.map((one) => join(home, one)).find((one) => path.startsWith(one)) ?? path;
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
