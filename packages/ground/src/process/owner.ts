import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * The unique identity of a process, such as the holder of a lock. `started` is the process's start time according to
 * the kernel (clock ticks since boot on Linux, epoch seconds elsewhere). `boot` identifies the boot of the machine and
 * is empty if the system does not report it.
 */
export interface Owner {
  readonly pid: number;
  readonly started: string;
  readonly boot: string;
}

/** Tells running processes apart, for locks. */
export interface Processes {
  self(): Owner;
  /** Whether exactly this process is still running. A process that cannot be inspected counts as running. */
  alive(owner: Owner): boolean;
}

const bootId = readText("/proc/sys/kernel/random/boot_id")?.trim() ?? "";

/** Identifies this machine's processes through `/proc`, or else `ps`. On Linux, wall-clock time is never used. */
export const systemProcesses: Processes = {
  self() {
    const started = statOf(process.pid)?.started ?? String(Math.round(performance.timeOrigin / 1000));
    return { pid: process.pid, started, boot: bootId };
  },
  alive(owner) {
    if (owner.boot !== "" && bootId !== "" && owner.boot !== bootId) return false;
    const stat = statOf(owner.pid);
    // A zombie has ended and holds nothing any more.
    if (stat) return stat.started === owner.started && stat.state !== "Z" && stat.state !== "X";
    if (!signalable(owner.pid)) return false;
    return bootId !== "" || startedAround(owner.pid, Number(owner.started));
  },
};

/** Returns the identity of another process; `undefined` if it cannot be inspected. */
export function ownerOf(pid: number): Owner | undefined {
  const stat = statOf(pid);
  return stat && { pid, started: stat.started, boot: bootId };
}

/** Describes the holder of a lock to the user. */
export function describeOwner(owner: Owner): string {
  return owner.pid === process.pid ? "this process" : `process ${owner.pid}`;
}

function statOf(pid: number): { state: string; started: string } | undefined {
  const text = readText(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The second field is the program's name in brackets, which may itself contain brackets and spaces.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state] = fields;
  const started = fields[19];
  return state !== undefined && started !== undefined ? { state, started } : undefined;
}

function signalable(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

const TOLERANCE_S = 5;

function startedAround(pid: number, epochSeconds: number): boolean {
  try {
    const shown = execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], {
      encoding: "utf8",
      env: { ...process.env, LC_ALL: "C" },
      stdio: ["ignore", "pipe", "ignore"],
    });
    const seconds = Date.parse(shown.trim()) / 1000;
    return Number.isNaN(seconds) || Number.isNaN(epochSeconds) || Math.abs(seconds - epochSeconds) <= TOLERANCE_S;
  } catch {
    return true;
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
