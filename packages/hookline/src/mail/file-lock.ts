import { closeSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makePrivateDirectory } from "@hookline/ground/system";
import { acquireLock } from "../session/lock.ts";
import { type Held, HOLDERS, type HolderProgram, hold } from "./holder.ts";

/** How long to wait for a lock, in ms, and which helper programs may take the lock. */
export interface FileLockOptions {
  readonly waitMs?: number;
  readonly holders?: readonly HolderProgram[];
}

const WAIT_MS = 30_000;
const PAUSE_MS = 5;
/** Helper programs that failed to take a lock, so this process does not try them again. */
const useless = new Set<HolderProgram>();
/** For each file, a promise that resolves when the last waiter of this process has released its lock. */
const lines = new Map<string, Promise<unknown>>();

/**
 * Runs `work` while holding an exclusive flock(2) lock on the file. Throws if the lock is not free in time. Node has no
 * flock, so a helper program holds the lock: `flock`, `perl` or `python3`. Without any of them, the lock only excludes
 * other hookline processes.
 */
export async function withFileLock<T>(path: string, work: () => T, options: FileLockOptions = {}): Promise<T> {
  const before = lines.get(path) ?? Promise.resolve();
  const mine = before.then(() => locked(path, work, options));
  const settled = mine.catch(() => undefined);
  lines.set(path, settled);
  try {
    return await mine;
  } finally {
    if (lines.get(path) === settled) lines.delete(path);
  }
}

async function locked<T>(path: string, work: () => T, options: FileLockOptions): Promise<T> {
  makePrivateDirectory(dirname(path));
  closeSync(openSync(path, "a", 0o600));
  const held = (await holdWithProgram(path, options)) ?? (await holdAmongOurs(path, options));
  try {
    return work();
  } finally {
    await held.release();
  }
}

async function holdWithProgram(
  path: string,
  { waitMs = WAIT_MS, holders = HOLDERS }: FileLockOptions,
): Promise<Held | undefined> {
  for (const program of holders) {
    if (useless.has(program)) continue;
    const result = await hold(program, path, waitMs);
    if (result.state === "held") return result.held;
    if (result.state === "late") throw new Error(`another program has held ${path} for ${waitMs / 1000} s`);
    useless.add(program);
  }
  return undefined;
}

async function holdAmongOurs(path: string, { waitMs = WAIT_MS }: FileLockOptions): Promise<Held> {
  const until = performance.now() + waitMs;
  for (;;) {
    const result = acquireLock(path);
    // If hookline's own lock fails too, the work runs without one: adding a letter is one append, which needs no lock.
    if (result.state === "failed") return { release: async () => {} };
    if (result.state === "locked") return { release: async () => result.lock.release() };
    if (performance.now() > until)
      throw new Error(`process ${result.owner.pid} has held ${path} for ${waitMs / 1000} s`);
    await sleep(PAUSE_MS);
  }
}
