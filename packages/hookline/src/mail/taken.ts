import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Owner, type Processes, systemProcesses } from "../session/owner.ts";

/** Where a process keeps taken letters until they are in its session's history. */
export function takenPath(inbox: string, processes: Processes = systemProcesses): string {
  const { pid, started, boot } = processes.self();
  return join(dirname(inbox), `.${basename(inbox)}.taken.${pid}.${started}.${boot}`);
}

/** Such files of ended processes: nobody has seen their letters. */
export function abandoned(inbox: string, processes: Processes = systemProcesses): string[] {
  const folder = dirname(inbox);
  const prefix = `.${basename(inbox)}.taken.`;
  return namesIn(folder)
    .filter((name) => name.startsWith(prefix))
    .filter((name) => {
      const owner = ownerIn(name.slice(prefix.length));
      return owner !== undefined && !processes.alive(owner);
    })
    .sort()
    .map((name) => join(folder, name));
}

function ownerIn(text: string): Owner | undefined {
  const [pid, started, boot, more] = text.split(".");
  if (pid === undefined || started === undefined || boot === undefined || more !== undefined) return undefined;
  return /^\d+$/.test(pid) ? { pid: Number(pid), started, boot } : undefined;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
