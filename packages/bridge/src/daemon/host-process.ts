import { readFileSync } from "node:fs";
import { announceHost, ownerOf, processTable } from "@hookline/ground/system";

/** Matches shells, which start clients for a person, or for a host without `exec`. A shell is not an agent. */
const SHELL = /^-?(?:ba|da|k|z|fi|c|tc|a)?sh$/;

/** How long a process id is assumed to mean the same process, in ms. */
const LOOK_MS = 1000;

/**
 * Records the processes of hosts. hookline accepts no approval of hooks from their child processes, because a model
 * could approve its own hooks there.
 */
export class HostProcesses {
  readonly #hooklineHome: string;
  readonly #noted = new Set<string>();
  /** The time at which each process was last looked at, since an id may be reused. */
  readonly #looked = new Map<number, number>();

  constructor(hooklineHome: string) {
    this.#hooklineHome = hooklineHome;
  }

  /** Records the process that has started a client, except for this process, which starts one as a test. */
  learn(pid: number | undefined, cwd: string): void {
    if (pid === undefined || pid < 2 || pid === process.pid || Date.now() - (this.#looked.get(pid) ?? 0) < LOOK_MS)
      return;
    this.#looked.set(pid, Date.now());
    const owner = ownerOf(pid);
    if (owner === undefined || this.#noted.has(`${owner.pid}.${owner.started}`) || isShell(owner.pid)) return;
    this.#noted.add(`${owner.pid}.${owner.started}`);
    announceHost(this.#hooklineHome, owner, cwd);
  }
}

/**
 * Returns the command line of the host that has started a client, directly or through a shell; empty if the system does
 * not show it.
 */
export function hostWords(pid: number | undefined): readonly string[] {
  if (pid === undefined || process.platform !== "linux") return [];
  const table = processTable();
  const one = table.get(pid);
  return (one !== undefined && SHELL.test(one.name) ? table.get(one.parent) : one)?.words ?? [];
}

function isShell(pid: number): boolean {
  try {
    return SHELL.test(readFileSync(`/proc/${pid}/comm`, "utf8").trim());
  } catch {
    return true;
  }
}
