import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setImmediate as turn } from "node:timers/promises";

/** One line of the kernel's process table. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Clock ticks after boot; with the pid it names a process for good, whatever happens to the number. */
  readonly startTicks: number;
  /** True for a process that has ended and is only waiting to be collected. */
  readonly zombie: boolean;
  /** True for a thread of the kernel, which is no program. */
  readonly kernel: boolean;
}

/** False where there is no `/proc`; then only process groups can be followed. */
export const HAS_PROC: boolean = process.platform === "linux" && existsSync("/proc/self/stat");

/** How many table entries are read before other work gets its turn. */
const STRIDE = 256;

/** The entry of one process; `undefined` when it is gone or there is no `/proc`. */
export function readProcess(pid: number | "self"): ProcessEntry | undefined {
  if (!HAS_PROC) return undefined;
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return undefined;
  }
}

/** All processes that can be seen, in no order. Empty where there is no `/proc`. */
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

/**
 * The value of one variable in the environment that a process was started with; `undefined` if it is not set or may not
 * be read. `blank` where there is no environment at all, as for a moment while one program becomes another.
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

/** The program's name is in brackets and may itself hold brackets and blanks, so fields are counted from the last one. */
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
    // A program whose first thread has ended looks the same, but has threads left.
    zombie: state === "X" || (state === "Z" && Number(fields[17]) <= 1),
    kernel: fields[20] === "0",
  };
}
