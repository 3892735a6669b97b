import { basename, join, resolve } from "node:path";
import { type Process, presentAgents, presentHosts, processTable, realOf } from "@hookline/ground/system";
import { livingRuns, RUN_VARIABLE } from "@hookline/runtime/session";

/**
 * Describes the hookline process or agent that started this process; undefined if a person started it.
 *
 * Variables can be removed and a program can lie about its own name. So this looks for three signs in all ancestors:
 * the environment variable of a run, a process id of a known agent, and hookline's own program. A process that has lost
 * both its parents and its variables is not recognised.
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
  const table = processTable();
  let pid = process.pid;
  while (pid > 0) {
    const one = table.get(pid);
    if (one === undefined) return undefined;
    if (isMarked(one)) return "a session's hook or tool";
    if (pid !== process.pid && (hosts.has(pid) || runsHookline(one))) return `hookline (process ${pid})`;
    if (bridged.has(pid)) return `an agent whose hooks hookline runs (process ${pid})`;
    pid = one.parent;
  }
  return undefined;
}

function isMarked({ environment }: Process): boolean {
  return environment()?.some((variable) => variable.startsWith(`${RUN_VARIABLE}=`)) === true;
}

/** Whether a process runs hookline's program, under any name. */
export function runsHookline({ words, cwd }: Process): boolean {
  const [program = "", ...others] = words;
  if (!/^(?:node|nodejs|bun|deno|hookline)/.test(basename(program))) return false;
  const own = realOf(process.argv[1] ?? "");
  const script = [program, others.find((word) => !word.startsWith("-")) ?? ""];
  return script.some((word) => {
    const path = realOf(cwd === undefined ? word : resolve(cwd, word));
    return /^hookline(?:\.[cm]?js)?$/.test(basename(word)) || (path === own && /hookline/.test(basename(own)));
  });
}
