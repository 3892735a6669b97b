import { closeSync, openSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { hasCode, NoUndo } from "./no-undo.ts";

/** The longest age of a lock in ms, whoever holds it: no work under it takes so long. */
const STALE_MS = 10 * 60_000;
/** The longest age in ms of a lock whose process has not written its id: it was killed right after creating the file. */
const UNNAMED_MS = 1_000;

/** Runs work under a lock on a folder, which excludes other processes. Waits for the lock until the deadline. */
export async function locked<T>(
  path: string,
  { deadline, now }: { readonly deadline: number; readonly now: () => number },
  work: () => Promise<T>,
): Promise<T> {
  while (!taken(path)) {
    if (now() > deadline)
      throw new NoUndo("No undo here: another process works on this project's checkpoints. Try again.");
    if (isStale(path)) rmSync(path, { force: true });
    else await setTimeout(5);
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

function taken(path: string): boolean {
  try {
    const file = openSync(path, "wx", 0o600);
    writeSync(file, `${process.pid}`);
    closeSync(file);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
}

/** Whether the process that took a lock has ended without releasing it. */
function isStale(path: string): boolean {
  try {
    const owner = Number(readFileSync(path, "utf8"));
    if (Date.now() - statSync(path).mtimeMs > (owner > 0 ? STALE_MS : UNNAMED_MS)) return true;
    if (owner > 0) process.kill(owner, 0);
    return false;
  } catch (error) {
    return hasCode(error, "ESRCH");
  }
}
