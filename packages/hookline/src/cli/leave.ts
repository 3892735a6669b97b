import { existsSync } from "node:fs";

type Exit = (code?: number) => never;

/** Node's names for work that occupies one of the threads for files and names. */
const THREADED = /^(?:FSReq|GetAddrInfoReq|GetNameInfoReq)/;

/** How long such work may still take at the exit, in ms; most of it is done by then. */
const MOMENT_MS = 250;

const SHELL = "/bin/sh";

/**
 * Makes sure that this process can always exit. Node waits at exit for the threads that read and write files; a thread
 * that waits for a pipe or for a lost network folder would hold it forever. If a thread is still busy, the process is
 * replaced by one that exits immediately with the same code.
 */
export function makeExitCertain(): void {
  const { execve } = process;
  if (execve === undefined || !existsSync(SHELL)) return;
  const on = process as unknown as { reallyExit: Exit };
  const exit = on.reallyExit;
  on.reallyExit = function exitDespiteThreads(code = 0): never {
    if (process.getActiveResourcesInfo().some((name) => THREADED.test(name))) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, MOMENT_MS);
      execve.call(process, SHELL, ["sh", "-c", `exit ${Number(code) & 0xff}`], {});
    }
    return exit.call(process, code);
  };
}
