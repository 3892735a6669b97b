import { closeSync, constants, lstatSync, mkdirSync, openSync, readdirSync, rmdirSync, unlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Owner, ownListener, type Processes, randomBytes, systemProcesses } from "@hookline/ground/system";
import { tightenDirectory } from "./directory.ts";

/** A lock on a session file that this process holds. */
export interface Lock {
  /** Releases the lock; later calls do nothing. */
  release(): void;
}

/** The outcome of taking a lock. `failed` means that no lock could be made; the file may be written all the same. */
export type LockResult =
  | { readonly state: "locked"; readonly lock: Lock }
  | { readonly state: "held"; readonly owner: Owner }
  | { readonly state: "failed"; readonly error: unknown };

const LOOKS = 6;
const LOOK_MS = 5;
/** The number of times that the lock folder may vanish, because another process unlocks, before locking fails. */
const GONE_LIMIT = 100;
const held = new Map<string, { count: number; readonly file: string }>();

/**
 * Locks a session file for this process. Several locks of one file in one process share one lock on disk.
 *
 * A lock is a folder next to the session file. Each contender creates a file in it, named after its process, and then
 * looks for others. A contender that sees another living one removes its own file, so two never hold the lock. Files of
 * dead contenders are removed, which is safe because names are never reused.
 */
export function acquireLock(sessionPath: string, processes: Processes = systemProcesses): LockResult {
  const folder = lockFolder(sessionPath);
  const mine = held.get(folder);
  if (mine) {
    mine.count += 1;
    return { state: "locked", lock: lockOf(folder) };
  }
  try {
    return claim(folder, processes);
  } catch (error) {
    return { state: "failed", error };
  }
}

/** Returns the process that holds a session file; undefined if there is none. Changes nothing. */
export function lockOwner(sessionPath: string, processes: Processes = systemProcesses): Owner | undefined {
  try {
    return living(lockFolder(sessionPath), undefined, processes)?.owner;
  } catch {
    return undefined;
  }
}

/** Returns the path of a session's lock folder. */
export function lockFolder(sessionPath: string): string {
  return `${resolve(sessionPath)}.lock`;
}

function claim(folder: string, processes: Processes): LockResult {
  const self = processes.self();
  const name = [self.pid, self.started, self.boot, randomBytes(6).toString("hex")].join(".");
  let other: Contender | undefined;
  for (let look = 0, gone = 0; look < LOOKS && gone < GONE_LIMIT; ) {
    // For a moment, a process that gives up has a file like one that holds the lock, so look again before failing.
    if (other) pause(LOOK_MS);
    makeFolder(folder);
    other = living(folder, undefined, processes);
    if (!other && !place(join(folder, name))) {
      gone += 1;
      continue;
    }
    look += 1;
    if (other) continue;
    other = outwait(folder, name, processes);
    if (!other) {
      listenForExit();
      held.set(folder, { count: 1, file: join(folder, name) });
      return { state: "locked", lock: lockOf(folder) };
    }
    remove(folder, name);
  }
  return other
    ? { state: "held", owner: other.owner }
    : { state: "failed", error: new Error(`Lock ${folder} could not be made`) };
}

/** Waits for processes with greater file names, which must give up. Returns a process that does not, if any. */
function outwait(folder: string, name: string, processes: Processes): Contender | undefined {
  let other = living(folder, name, processes);
  for (let look = 0; other && other.name > name && look < LOOKS; look++) {
    pause(LOOK_MS);
    other = living(folder, name, processes);
  }
  return other;
}

function lockOf(folder: string): Lock {
  let released = false;
  return {
    release() {
      if (released) return;
      released = true;
      const mine = held.get(folder);
      if (mine && --mine.count === 0) drop(folder, mine.file);
    },
  };
}

function drop(folder: string, file: string): void {
  held.delete(folder);
  ignoring(() => unlinkSync(file));
  ignoring(() => rmdirSync(folder));
}

interface Contender {
  readonly name: string;
  readonly owner: Owner;
}

/** Returns the running process whose file comes first in the lock folder. Given `mine`, deletes files of dead ones. */
function living(folder: string, mine: string | undefined, processes: Processes): Contender | undefined {
  for (const name of namesIn(folder)) {
    const owner = name === mine ? undefined : parseOwner(name);
    if (!owner) continue;
    if (processes.alive(owner)) return { name, owner };
    if (mine !== undefined) remove(folder, name);
  }
  return undefined;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    // The last holder has just removed the folder.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

function parseOwner(name: string): Owner | undefined {
  const [pid, started, boot, nonce, more] = name.split(".");
  if (pid === undefined || started === undefined || boot === undefined || nonce === undefined || more !== undefined)
    return undefined;
  return /^\d+$/.test(pid) ? { pid: Number(pid), started, boot } : undefined;
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    // Fails if a file or link has the lock folder's name. If the folder has vanished, the caller creates it again.
    if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) throw error;
    tightenDirectory(folder);
  }
}

/** Creates this process's file in the lock folder; returns false if another process has just removed the folder. */
function place(path: string): boolean {
  try {
    closeSync(openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

function remove(folder: string, name: string): void {
  ignoring(() => unlinkSync(join(folder, name)));
}

function ignoring(action: () => void): void {
  try {
    action();
  } catch {
    // A file that cannot be removed does no harm: other processes see that its owner is dead.
  }
}

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

let listening = false;

function listenForExit(): void {
  if (listening) return;
  listening = true;
  const dropAll = (): void => {
    for (const [folder, { file }] of held) drop(folder, file);
  };
  process.once("exit", ownListener(dropAll));
}
