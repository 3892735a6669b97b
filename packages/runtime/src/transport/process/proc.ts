import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setImmediate as turn } from "node:timers/promises";

/** A process as the kernel's process table lists it. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** The start time in clock ticks after boot; with the pid it identifies a process, even if the pid is reused. */
  readonly startTicks: number;
  /** Whether the process has ended and waits to be collected. */
  readonly zombie: boolean;
  /** Whether this is a kernel thread, which is not a program. */
  readonly kernel: boolean;
}

/** Whether `/proc` exists; without it only process groups can be followed. */
export const HAS_PROC: boolean = process.platform === "linux" && existsSync("/proc/self/stat");

/** The number of entries that are read before the event loop gets a turn. */
const STRIDE = 256;

/** Returns the entry of one process; `undefined` if it is gone or there is no `/proc`. */
export function readProcess(pid: number | "self"): ProcessEntry | undefined {
  if (!HAS_PROC) return undefined;
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return undefined;
  }
}

/** Returns all visible processes, in no order; none without `/proc`. */
export async function listProcesses(): Promise<readonly ProcessEntry[]> {
  if (!HAS_PROC) return [];
  const found: ProcessEntry[] = [];
  let read = 0;
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const entry = readProcess(pid);
    if (entry !== undefined) found.push(entry);
    if (++read % STRIDE === 0) await turn();
  }
  return found;
}

/** Returns the name of a process's program, at most 15 characters; `undefined` if it is gone or there is no `/proc`. */
export function programName(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
  } catch {
    return undefined;
  }
}

/**
 * Returns a variable's value in the environment that a process was started with; `undefined` if it is unset or
 * unreadable. `blank` says that there is no environment at all, as briefly during an `exec`.
 */
export function readVariable(
  pid: number,
  name: string,
): { readonly value: string | undefined; readonly blank: boolean } {
  let block: Buffer;
  try {
    block = readFileSync(`/proc/${pid}/environ`);
  } catch {
    return { value: undefined, blank: false };
  }
  const key = `${name}=`;
  for (let at = block.indexOf(key); at >= 0; at = block.indexOf(key, at + 1)) {
    if (at > 0 && block[at - 1] !== 0) continue;
    const end = block.indexOf(0, at);
    return { value: block.toString("utf8", at + key.length, end < 0 ? block.length : end), blank: false };
  }
  return { value: undefined, blank: block.length === 0 };
}

/**
 * The program's name is in brackets and may itself contain brackets and spaces, so fields are counted from the last
 * bracket.
 */
function parseStat(text: string): ProcessEntry | undefined {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group, session] = fields;
  const startTicks = Number(fields[19]);
  const pid = Number.parseInt(text, 10);
  if (state === undefined || !Number.isFinite(startTicks) || !Number.isInteger(pid)) return undefined;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startTicks,
    // A program whose first thread has ended looks like a zombie too, but has other threads left.
    zombie: state === "X" || (state === "Z" && Number(fields[17]) <= 1),
    kernel: fields[20] === "0",
  };
}
