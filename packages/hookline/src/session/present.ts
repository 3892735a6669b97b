import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, sep } from "node:path";
import { ownListener } from "@hookline/runtime/internal";
import { makePrivateDirectory } from "../file/private-directory.ts";
import { type Owner, type Processes, systemProcesses } from "./owner.ts";

/** An agent that is running now, and the folder that it works in, with links resolved. */
export interface PresentAgent {
  readonly owner: Owner;
  readonly cwd: string;
}

/** Notes that this process is an agent at work in a folder, until it ends; returns the undo. */
export function announceAgent(hooklineHome: string, cwd: string, processes: Processes = systemProcesses): () => void {
  const folder = agentsFolder(hooklineHome);
  const { pid, started, boot } = processes.self();
  const path = join(folder, [pid, started, boot, randomBytes(6).toString("hex")].join("."));
  try {
    makePrivateDirectory(folder);
    for (const { path: old, owner } of notesIn(folder)) if (!processes.alive(owner)) rmSync(old, { force: true });
    writeFileSync(path, realOf(cwd), { mode: 0o600, flag: "wx" });
  } catch {
    // A home that cannot be written takes no approvals either.
    return () => {};
  }
  const leave = (): void => {
    process.off("exit", leave);
    rmSync(path, { force: true });
  };
  process.once("exit", ownListener(leave));
  return leave;
}

/**
 * The other agents that are at work in a project: in the folder, above it or below it. One that works in the home
 * folder itself is no agent of every project in it.
 */
export function agentsAt(hooklineHome: string, cwd: string, processes: Processes = systemProcesses): PresentAgent[] {
  return presentAgents(hooklineHome, processes).filter(({ cwd: other }) => isRelated(realOf(cwd), other));
}

/** All other agents of this home that are running now. */
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

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
