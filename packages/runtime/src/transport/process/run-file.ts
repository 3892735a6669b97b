import { mkdirSync, readdirSync, readFileSync, readlinkSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { isRunId } from "./marker.ts";
import { HAS_PROC, readProcess } from "./proc.ts";

/** Identifies the process that runs, or ran, under a run id. */
export interface RunRecord {
  readonly runId: string;
  readonly pid: number;
  /** The start time in clock ticks after boot; with pid and boot it identifies one process. */
  readonly startTicks: number;
  readonly boot: string;
  /** The pid namespace: in another one, the same pid is another process. */
  readonly namespace: string;
  readonly host: string;
}

const FOLDER = "runs";
const SUFFIX = ".json";

/**
 * Records in `stateDir` that this process starts processes under `runId`; returns a function that removes the record.
 * Throws file system errors.
 */
export function writeRunFile(stateDir: string, runId: string): () => void {
  const folder = join(stateDir, FOLDER);
  const path = join(folder, runId + SUFFIX);
  const startTicks = readProcess("self")?.startTicks ?? 0;
  const record: RunRecord = { runId, pid: process.pid, startTicks, ...place() };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // The file is renamed into place, so that no other host reads half a record.
  writeFileSync(`${path}.new`, JSON.stringify(record), { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return () => rmSync(path, { force: true });
}

/** A run whose host is gone, with a function that removes its record. */
export interface DeadRun {
  readonly record: RunRecord;
  /** False if the machine has rebooted since, so that no process can be left. */
  readonly mayHaveLeft: boolean;
  forget(): void;
}

/**
 * Returns the recorded runs of this machine whose host is gone. Records of other machines and containers are left
 * alone.
 */
export function deadRuns(stateDir: string): readonly DeadRun[] {
  const here = place();
  const dead: DeadRun[] = [];
  for (const { path, record } of recordsIn(stateDir)) {
    if (record.host !== here.host) continue;
    const sameBoot = record.boot === here.boot;
    if (sameBoot && (record.namespace !== here.namespace || isAlive(record))) continue;
    dead.push({ record, mayHaveLeft: sameBoot, forget: () => rmSync(path, { force: true }) });
  }
  return dead;
}

/** Returns the recorded runs whose host is alive and visible from here. A host may be an ancestor of this process. */
export function livingRuns(stateDir: string): readonly RunRecord[] {
  const { boot, namespace, host } = place();
  return recordsIn(stateDir)
    .map(({ record }) => record)
    .filter((one) => one.host === host && one.boot === boot && one.namespace === namespace && isAlive(one));
}

function recordsIn(stateDir: string): readonly { readonly path: string; readonly record: RunRecord }[] {
  const folder = join(stateDir, FOLDER);
  return namesIn(folder).flatMap((name) => {
    const path = join(folder, name);
    const record = name.endsWith(SUFFIX) ? readRecord(path, name.slice(0, -SUFFIX.length)) : undefined;
    return record === undefined ? [] : [{ path, record }];
  });
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isAlive({ pid, startTicks }: RunRecord): boolean {
  if (HAS_PROC) {
    const found = readProcess(pid);
    // A process that waits to be collected has ended, too.
    return found !== undefined && found.startTicks === startTicks && !found.zombie;
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function readRecord(path: string, runId: string): RunRecord | undefined {
  try {
    const { pid, startTicks, boot, namespace, host } = JSON.parse(readFileSync(path, "utf8")) as Partial<RunRecord>;
    if (!isRunId(runId) || !Number.isInteger(pid) || typeof startTicks !== "number") return undefined;
    if (typeof boot !== "string" || typeof namespace !== "string" || typeof host !== "string") return undefined;
    return { runId, pid: Number(pid), startTicks, boot, namespace, host };
  } catch {
    return undefined;
  }
}

function place(): Pick<RunRecord, "boot" | "namespace" | "host"> {
  return {
    boot: attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
    namespace: attempt(() => readlinkSync("/proc/self/ns/pid")),
    host: hostname(),
  };
}

function attempt(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}
