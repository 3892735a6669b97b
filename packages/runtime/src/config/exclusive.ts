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
 * Does some work while no other process does the same; `path` names what it is about. Waits for the others.
 *
 * A claim is a file in the folder `PATH.lock` whose name tells the process. Whoever has put in a claim and sees no
 * other living one holds the lock; a dead one's claim is removed, which is safe because its name never comes back.
 * Throws when others hold it for 10 s.
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

/** One attempt: puts in the claim and takes it back if somebody else has one. Of two at once the smaller name waits a little. */
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
    // The folder was taken away at this moment by the last one who held it.
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw thrown;
  }
}

/** The claim of another living process, the smallest name first; claims of dead ones are removed. */
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
