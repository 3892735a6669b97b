import {
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmdirSync,
  unlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { claimName, isAlive } from "./owner.ts";

const PATIENCE_MS = 10_000;
const LOOK_MS = 5;

/**
 * Runs some work while no other process runs work for the same `path`. Waits for other processes. Throws if they hold
 * the lock for 10 s.
 *
 * A claim is a file in the folder `PATH.lock` whose name identifies the process. A process holds the lock if it has put
 * in a claim and sees no other claim of a living process. Claims of dead processes are removed, which is safe because
 * names are never reused.
 */
export function exclusively<T>(path: string, work: () => T): T {
  const folder = `${path}.lock`;
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
  const name = claimName();
  const until = performance.now() + PATIENCE_MS;
  while (!claim(folder, name)) {
    if (performance.now() > until)
      throw new Error(`${path} is being written by another process; try again, or remove ${folder} if there is none.`);
    pause(LOOK_MS + Math.random() * LOOK_MS);
  }
  try {
    return work();
  } finally {
    release(folder, name);
  }
}

/**
 * Tries once to get the lock: puts in a claim, and withdraws it if another process has one. If two do so at the same
 * time, the one with the smaller name waits for the other to withdraw.
 */
function claim(folder: string, name: string): boolean {
  if (!place(folder, name)) return false;
  let other = living(folder, name);
  for (let looks = 0; other !== undefined && name < other && looks < 4; looks++) {
    pause(LOOK_MS);
    other = living(folder, name);
  }
  if (other === undefined) return true;
  release(folder, name);
  return false;
}

function place(folder: string, name: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") throw thrown;
    const there = lstatSync(folder, { throwIfNoEntry: false });
    if (there?.isDirectory() === false) throw thrown;
    if (there !== undefined && (there.mode & 0o077) !== 0) attempt(() => chmodSync(folder, 0o700));
  }
  try {
    closeSync(openSync(join(folder, name), constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600));
    return true;
  } catch (thrown) {
    // The last holder of the lock has removed the folder since `mkdir`.
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw thrown;
  }
}

/** Returns the first claim by name of another living process. Removes claims of dead processes. */
function living(folder: string, mine: string): string | undefined {
  for (const name of names(folder)) {
    if (name === mine) continue;
    if (isAlive(name)) return name;
    attempt(() => unlinkSync(join(folder, name)));
  }
  return undefined;
}

function names(folder: string): string[] {
  return attempt(() => readdirSync(folder).sort()) ?? [];
}

function release(folder: string, name: string): void {
  attempt(() => unlinkSync(join(folder, name)));
  attempt(() => rmdirSync(folder));
}

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
