import { accessSync, constants, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { Io } from "@hookline/ground/system";
import { broken, type Check, fine } from "./check.ts";

const OLDEST_NODE = [22, 19] as const;
/** hookline did not exist before this time, so a clock that shows an earlier one is wrong. */
const RELEASED = Date.UTC(2025, 0, 1);
const TOLERANCE_MS = 10_000;

/** Checks Node, shell, git, terminal and clock. */
export function machineChecks(io: Io): Check[] {
  return [nodeCheck(process.versions.node), shellCheck(io), gitCheck(io), terminalCheck(io), clockCheck()];
}

/** Whether a version of Node is new enough. */
export function nodeCheck(version: string): Check {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [least, least2] = OLDEST_NODE;
  const enough = major > least || (major === least && minor >= least2);
  return enough
    ? fine("node", `Node ${version}`)
    : broken("node", `Node ${version} is too old`, `Install Node ${least}.${least2} or newer.`);
}

function shellCheck({ env }: Io): Check {
  const shell = find("sh", env);
  return shell === undefined
    ? broken(
        "shell",
        "there is no sh in PATH, so j-cli hooks and the bash tool cannot run",
        "Install a POSIX shell, or correct PATH.",
      )
    : fine("shell", shell);
}

function gitCheck({ env }: Io): Check {
  const git = find("git", env);
  return git === undefined
    ? fine("git", "git is not in PATH", "Install git if hooks or the agent are to use it.")
    : fine("git", git);
}

function terminalCheck({ env, stdinIsTerminal, stdoutIsTerminal }: Io): Check {
  const term = env["TERM"] ?? "";
  if (!stdinIsTerminal || !stdoutIsTerminal) return fine("terminal", "not on a terminal");
  if (term === "dumb" || term === "")
    return fine(
      "terminal",
      `TERM is ${term === "" ? "not set" : term}`,
      "Set TERM, for example to xterm-256color, to use the interactive mode.",
    );
  const utf8 = /utf-?8/i.test(env["LC_ALL"] ?? env["LC_CTYPE"] ?? env["LANG"] ?? "");
  return fine(
    "terminal",
    `${term}, ${utf8 ? "UTF-8" : "no UTF-8 locale"}`,
    utf8 ? undefined : "Set LANG to a UTF-8 locale.",
  );
}

/** Compares the clock with the time of a new file: a wrong clock gives sessions and approvals wrong times. */
function clockCheck(): Check {
  const now = Date.now();
  if (now < RELEASED) return broken("clock", `the clock says ${new Date(now).toISOString()}`, "Set the clock.");
  const folder = mkdtempSync(join(tmpdir(), "hookline-clock-"));
  try {
    writeFileSync(join(folder, "now"), "");
    const off = Math.abs(statSync(join(folder, "now")).mtimeMs - now);
    return off > TOLERANCE_MS
      ? broken("clock", `the clock and the file system differ by ${Math.round(off / 1000)} s`, "Set the clock.")
      : fine("clock", new Date(now).toISOString());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function find(program: string, env: Io["env"]): string | undefined {
  for (const folder of (env["PATH"] ?? "").split(delimiter)) {
    const path = join(folder, program);
    try {
      accessSync(path, constants.X_OK);
      if (folder !== "" && statSync(path).isFile()) return path;
    } catch {
      // The program is not in this folder; try the next one.
    }
  }
  return undefined;
}
