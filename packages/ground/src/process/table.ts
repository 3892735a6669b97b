import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** A process, as far as the system shows it. */
export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly uid: number;
  /** The id of the process's session; absent without `/proc`. */
  readonly session?: number;
  /** The device number of the process's terminal, or without `/proc` its name. Absent if there is no terminal. */
  readonly terminal?: number | string;
  readonly isInForeground: boolean;
  /** The start time of the process, comparable with that of other processes. */
  readonly started: number;
  /** The short name that the kernel stores; empty without `/proc`. */
  readonly name: string;
  /** The words of the command line. */
  readonly words: readonly string[];
  /** The working folder, to which the words may be relative; absent if the system does not report it. */
  readonly cwd?: string;
  /** The path of the executable; absent if the system does not report it. */
  readonly program?: string;
  /** Returns the environment that the process started with; `undefined` if the system does not report it. */
  environment(): readonly string[] | undefined;
  /** Whether the process holds the controlling end of a terminal, and so can type there; `undefined` if not known. */
  holds(terminal: number | string): boolean | undefined;
}

/** The processes of the system. */
export interface ProcessTable {
  /** Whether the table shows the whole machine. From within a user namespace, few processes outside can be seen. */
  readonly isWhole: boolean;
  get(pid: number): Process | undefined;
  all(): Iterable<Process>;
}

/** Returns the processes of this machine, from `/proc`. Elsewhere `ps` is run once. */
export function processTable(isLinux = process.platform === "linux"): ProcessTable {
  if (!isLinux) return fromPs();
  const map = textOf(() => readFileSync("/proc/self/uid_map", "latin1"));
  return {
    isWhole: map === undefined || /^\s*0\s+0\s+4294967295\s*$/.test(map),
    get: fromProc,
    *all() {
      for (const name of readdirSync("/proc")) {
        const found = /^\d+$/.test(name) ? fromProc(Number(name)) : undefined;
        if (found !== undefined) yield found;
      }
    },
  };
}

function fromProc(pid: number): Process | undefined {
  const folder = `/proc/${pid}`;
  const stat = textOf(() => readFileSync(`${folder}/stat`, "latin1"));
  const status = textOf(() => readFileSync(`${folder}/status`, "latin1"));
  if (stat === undefined || status === undefined) return undefined;
  // The name in brackets may contain anything, so fields are counted from the last bracket.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state] = fields;
  // A zombie: the process has ended, but its parent has not collected it yet.
  if (state === "Z" || state === "X") return undefined;
  const [, parent = Number.NaN, group, session = 0, terminal = 0, foreground] = fields.map(Number);
  if (!Number.isInteger(parent)) return undefined;
  const cwd = textOf(() => readlinkSync(`${folder}/cwd`));
  const program = textOf(() => readlinkSync(`${folder}/exe`));
  return {
    pid,
    parent,
    uid: Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]),
    session,
    ...(terminal !== 0 && { terminal }),
    isInForeground: foreground === group,
    started: Number(fields[19]),
    name: stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")")),
    words: (textOf(() => readFileSync(`${folder}/cmdline`, "utf8")) ?? "").split("\0"),
    ...(cwd !== undefined && { cwd }),
    ...(program !== undefined && { program }),
    environment: () => textOf(() => readFileSync(`${folder}/environ`, "utf8"))?.split("\0"),
    holds: (of) => holdsIn(folder, Number(of)),
  };
}

/** The first major number of pseudo-terminal devices. */
const FIRST_MAJOR = 136;
const LAST_MAJOR = 143;

function holdsIn(folder: string, device: number): boolean | undefined {
  const major = (device >> 8) & 0xfff;
  // Only a pseudo-terminal has a controlling end to look for. For other devices, every process counts as holding it.
  if (major < FIRST_MAJOR || major > LAST_MAJOR) return true;
  const index = (major - FIRST_MAJOR) * 2 ** 20 + ((device & 0xff) | ((device >>> 12) & 0xfff00));
  try {
    return readdirSync(`${folder}/fd`).some((fd) => {
      if (!/\/ptmx$/.test(textOf(() => readlinkSync(`${folder}/fd/${fd}`)) ?? "")) return false;
      const info = textOf(() => readFileSync(`${folder}/fdinfo/${fd}`, "latin1")) ?? "";
      return Number(/^tty-index:\s*(\d+)/m.exec(info)?.[1]) === index;
    });
  } catch {
    return undefined;
  }
}

/** The columns of `ps`. Only the start time and the last column contain spaces; the start time has five words. */
const COLUMNS = "pid=,ppid=,uid=,pgid=,tpgid=,tty=,lstart=,command=";
const ROW = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(-?\d+)\s+(\S+)\s+(\S+\s+\S+\s+\d+\s+[\d:]+\s+\d+)\s+(.*)$/;

function fromPs(): ProcessTable {
  const text = textOf(() =>
    execFileSync("ps", ["-A", "-ww", "-o", COLUMNS], {
      encoding: "utf8",
      env: { ...process.env, LC_ALL: "C" },
      maxBuffer: 64 * 2 ** 20,
    }),
  );
  const table = new Map<number, Process>();
  for (const line of (text ?? "").split("\n")) {
    const [, pid, parent, uid, group, foreground, terminal = "", start = "", command = ""] = ROW.exec(line) ?? [];
    if (pid === undefined) continue;
    table.set(Number(pid), {
      pid: Number(pid),
      parent: Number(parent),
      uid: Number(uid),
      ...(/\w/.test(terminal) && { terminal }),
      isInForeground: foreground === group,
      started: Date.parse(start),
      name: "",
      words: command.split(" "),
      environment: () => undefined,
      holds: () => undefined,
    });
  }
  return { isWhole: true, get: (pid) => table.get(pid), all: () => table.values() };
}

function textOf(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
