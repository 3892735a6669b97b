import { readFileSync } from "node:fs";
import { ownerOf } from "../../session/owner.ts";
import { announceHost } from "../../session/present.ts";

/** Shells start clients by hand, and for hosts without `exec`; neither is an agent. */
const SHELL = /^-?(?:ba|da|k|z|fi|c|tc|a)?sh$/;

/** How long a process is taken for the one that it was, in ms. */
const LOOK_MS = 1000;

/**
 * Notes the processes of hosts, so that consents are not given below them: the model in a host could approve its own
 * hooks there.
 */
export class HostProcesses {
  readonly #hooklineHome: string;
  readonly #noted = new Set<string>();
  /** When each process was last looked at; its number may be another's some time later. */
  readonly #looked = new Map<number, number>();

  constructor(hooklineHome: string) {
    this.#hooklineHome = hooklineHome;
  }

  /** Takes in which process has started a client. */
  learn(pid: number | undefined, cwd: string): void {
    if (pid === undefined || pid < 2 || Date.now() - (this.#looked.get(pid) ?? 0) < LOOK_MS) return;
    this.#looked.set(pid, Date.now());
    const owner = ownerOf(pid);
    if (owner === undefined || this.#noted.has(`${owner.pid}.${owner.started}`) || isShell(owner.pid)) return;
    this.#noted.add(`${owner.pid}.${owner.started}`);
    announceHost(this.#hooklineHome, owner, cwd);
  }
}

function isShell(pid: number): boolean {
  try {
    return SHELL.test(readFileSync(`/proc/${pid}/comm`, "utf8").trim());
  } catch {
    return true;
  }
}
