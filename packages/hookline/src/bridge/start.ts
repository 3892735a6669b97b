import { spawn } from "node:child_process";
import { closeSync, openSync, rmSync, statSync } from "node:fs";
import { type DaemonPlace, makeRunFolder } from "./place.ts";

/** How long one client may take to start a daemon before another one tries, in ms. */
const STARTING_MS = 10_000;

/** How the daemon of a folder is started. */
export interface Starting {
  readonly place: DaemonPlace;
  readonly cwd: string;
  /** What its in-process hooks see; allowed names alone. */
  readonly env: Readonly<Record<string, string>>;
  /** The program and the arguments in front of `bridge daemon`. */
  readonly program: readonly [file: string, ...args: string[]];
}

/** Starts a daemon that outlives this process; does nothing where another client has just done so. Never throws. */
export function startDaemon({ place, cwd, env, program: [file, ...args] }: Starting): void {
  try {
    makeRunFolder(place.folder);
    if (!isFirst(place.starting)) return;
    const child = spawn(file, [...args, "bridge", "daemon"], { cwd, env, detached: true, stdio: "ignore" });
    child.on("error", () => rmSync(place.starting, { force: true }));
    child.unref();
  } catch {
    // Without a daemon there is no answer, and who asked says so.
  }
}

/** Whether nobody else starts one now. */
function isFirst(path: string): boolean {
  try {
    closeSync(openSync(path, "wx", 0o600));
    return true;
  } catch {
    const { mtimeMs = Date.now() } = statSync(path, { throwIfNoEntry: false }) ?? {};
    if (Date.now() - mtimeMs < STARTING_MS) return false;
    rmSync(path, { force: true });
    return isFirst(path);
  }
}
