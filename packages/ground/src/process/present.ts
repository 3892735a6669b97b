import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, sep } from "node:path";
import { makePrivateDirectory } from "../file/private-directory.ts";
import { realOf } from "../file/real-path.ts";
import { randomBytes } from "../store/random.ts";
import { ownListener } from "./listener.ts";
import { type Owner, type Processes, systemProcesses } from "./owner.ts";

/** A running agent and its working folder, with links resolved. */
export interface PresentAgent {
  readonly owner: Owner;
  readonly cwd: string;
}

/** Records that this process is an agent in a folder, until it ends. Returns a function that removes the record. */
export function announceAgent(hooklineHome: string, cwd: string, processes: Processes = systemProcesses): () => void {
  const path = note(agentsFolder(hooklineHome), processes.self(), cwd, processes);
  // If hookline's home is not writable, nobody can approve hooks, and only approvals read the record.
  if (path === undefined) return () => {};
  const leave = (): void => {
    process.off("exit", leave);
    rmSync(path, { force: true });
  };
  process.once("exit", ownListener(leave));
  return leave;
}

/** Records a running agent of another program, such as Claude Code, whose hooks hookline runs. */
export function announceHost(hooklineHome: string, owner: Owner, cwd: string): void {
  note(hostsFolder(hooklineHome), owner, cwd, systemProcesses);
}

/** Returns the running processes that `announceHost` has recorded. */
export function presentHosts(hooklineHome: string, processes: Processes = systemProcesses): Owner[] {
  return notesIn(hostsFolder(hooklineHome)).flatMap(({ owner }) => (processes.alive(owner) ? [owner] : []));
}

/**
 * Writes a note about a process, and removes those of processes that have ended. Returns the note's path, or
 * `undefined` if it could not be written.
 */
function note(folder: string, { pid, started, boot }: Owner, cwd: string, processes: Processes): string | undefined {
  const path = join(folder, [pid, started, boot, randomBytes(6).toString("hex")].join("."));
  try {
    makePrivateDirectory(folder);
    for (const { path: old, owner } of notesIn(folder)) if (!processes.alive(owner)) rmSync(old, { force: true });
    writeFileSync(path, realOf(cwd), { mode: 0o600, flag: "wx" });
    return path;
  } catch {
    return undefined;
  }
}

/**
 * Returns the other agents that are working in a project: in its folder, above it or below it. An agent in the home
 * folder itself does not count for every project below it.
 */
export function agentsAt(hooklineHome: string, cwd: string, processes: Processes = systemProcesses): PresentAgent[] {
  return presentAgents(hooklineHome, processes).filter(({ cwd: other }) => isRelated(realOf(cwd), other));
}

/** Returns all other agents that use this home and are running. */
export function presentAgents(hooklineHome: string, processes: Processes = systemProcesses): PresentAgent[] {
  return notesIn(agentsFolder(hooklineHome)).flatMap(({ path, owner }) => {
    if (owner.pid === process.pid || !processes.alive(owner)) return [];
    try {
      return [{ owner, cwd: readFileSync(path, "utf8") }];
    } catch {
      return [];
    }
  });
}

function agentsFolder(hooklineHome: string): string {
  return join(hooklineHome, "agents");
}

function hostsFolder(hooklineHome: string): string {
  return join(hooklineHome, "hosts");
}

function notesIn(folder: string): { readonly path: string; readonly owner: Owner }[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const [, pid, started, boot] = /^(\d+)\.([^.]*)\.([^.]*)\.[0-9a-f]+$/.exec(name) ?? [];
    if (pid === undefined || started === undefined || boot === undefined) return [];
    return [{ path: join(folder, name), owner: { pid: Number(pid), started, boot } }];
  });
}

function isRelated(a: string, b: string): boolean {
  const home = realOf(homedir());
  const holds = (outer: string, inner: string): boolean =>
    outer !== home && inner.startsWith(outer === sep ? sep : outer + sep);
  return a === b || holds(a, b) || holds(b, a);
}
