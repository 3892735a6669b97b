import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync, realpathSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { livingRuns, RUN_VARIABLE } from "@hookline/runtime/internal";
import { presentAgents, presentHosts } from "../session/present.ts";

/** A process on the path from this one up to the first process of the system. */
interface Ancestor {
  readonly pid: number;
  readonly parent: number;
  /** The words of its command line, as far as the system shows them. */
  readonly words: readonly string[];
  /** The folder that its words are relative to; absent if the system does not say. */
  readonly cwd?: string;
  /** The environment that it was started with; absent if the system does not say. */
  readonly environment?: string;
}

/**
 * Describes the hookline that started this process, or the agent whose hooks it runs; undefined if a person started it.
 *
 * Variables can be removed and a program can lie about its own name, so this looks at all ancestors of the process: one
 * that was started with a run's marker, one that is a living host of hooks, one that runs hookline's program. A process
 * that has lost its parents *and* its variables is not recognised.
 */
export function hooklineAbove(
  hooklineHome: string,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (env[RUN_VARIABLE] !== undefined) return "a session's hook or tool";
  const hosts = new Set([
    ...livingRuns(join(hooklineHome, "run")).map(({ pid }) => pid),
    ...presentAgents(hooklineHome).map(({ owner }) => owner.pid),
  ]);
  const bridged = new Set(presentHosts(hooklineHome).map(({ pid }) => pid));
  const look = process.platform === "linux" ? fromProc : fromPs();
  let pid = process.pid;
  for (let steps = 0; pid > 0 && steps < MOST_STEPS; steps++) {
    const one = look(pid);
    if (one === undefined) return undefined;
    if (isMarked(one)) return "a session's hook or tool";
    if (pid !== process.pid && (hosts.has(pid) || isProgram(one))) return `hookline (process ${pid})`;
    if (bridged.has(pid)) return `an agent whose hooks hookline runs (process ${pid})`;
    pid = one.parent;
  }
  return undefined;
}

/** Longer than any chain of processes; guards against a process table that changes while it is read. */
const MOST_STEPS = 1024;

function isMarked({ environment = "" }: Ancestor): boolean {
  return environment.split("\0").some((variable) => variable.startsWith(`${RUN_VARIABLE}=`));
}

/** Whether a process runs hookline's own program, under any name. */
function isProgram({ words, cwd }: Ancestor): boolean {
  const [program = "", ...others] = words;
  if (!/^(?:node|nodejs|bun|deno|hookline)/.test(basename(program))) return false;
  const own = realOf(process.argv[1] ?? "");
  const script = [program, others.find((word) => !word.startsWith("-")) ?? ""];
  return script.some((word) => {
    const path = realOf(cwd === undefined ? word : resolve(cwd, word));
    return /^hookline(?:\.[cm]?js)?$/.test(basename(word)) || (path === own && /hookline/.test(basename(own)));
  });
}

function fromProc(pid: number): Ancestor | undefined {
  const stat = textOf(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  // The name in brackets may contain anything, so fields are counted from the last bracket.
  const parent = Number(stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  if (!Number.isInteger(parent)) return undefined;
  const cwd = textOf(() => readlinkSync(`/proc/${pid}/cwd`));
  const environment = textOf(() => readFileSync(`/proc/${pid}/environ`, "utf8"));
  return {
    pid,
    parent,
    words: (textOf(() => readFileSync(`/proc/${pid}/cmdline`, "utf8")) ?? "").split("\0"),
    ...(cwd !== undefined && { cwd }),
    ...(environment !== undefined && { environment }),
  };
}

/** Without `/proc`, `ps` lists all processes once. */
function fromPs(): (pid: number) => Ancestor | undefined {
  const text = textOf(() =>
    execFileSync("ps", ["-A", "-ww", "-o", "pid=,ppid=,command="], { encoding: "utf8", maxBuffer: 64 * 2 ** 20 }),
  );
  const table = new Map<number, Ancestor>();
  for (const line of (text ?? "").split("\n")) {
    const [, pid, parent, command = ""] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    if (pid !== undefined)
      table.set(Number(pid), { pid: Number(pid), parent: Number(parent), words: command.split(" ") });
  }
  return (pid) => table.get(pid);
}

function textOf(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function realOf(path: string): string {
  return textOf(() => realpathSync.native(path)) ?? path;
}
