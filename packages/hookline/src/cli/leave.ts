import { existsSync } from "node:fs";

type Exit = (code?: number) => never;

/** Work that occupies one of the threads for files and names, as Node calls it. */
const THREADED = /^(?:FSReq|GetAddrInfoReq|GetNameInfoReq)/;

/** What such work may still take at the exit, in ms: most of it is done by then. */
const MOMENT_MS = 250;

const SHELL = "/bin/sh";

/**
 * Makes every exit of this process certain. Node waits at its exit for the threads that read and write files; one that
 * waits for a pipe or for a network folder that is gone would hold it for ever. Where a thread is still at work, the
 * process is replaced by one that ends at once with the same code.
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
