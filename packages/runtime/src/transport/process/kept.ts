import type { Clock } from "@hookline/ground";
import type { OpenProcess, ProcessReport } from "../../port/process.ts";
import type { Running } from "./launch.ts";
import { keepAwake } from "./presence.ts";
import { within } from "./sleep.ts";

/**
 * Returns the functions to write to a running process and to end it; aborting `ending` ends its group. An idle process
 * does not keep the host alive, but a host that waits for a write or for the process's end does stay alive until then.
 */
export function keptProcess(
  { pid, stdin }: Running,
  ended: Promise<ProcessReport>,
  ending: AbortController,
  clock: Clock,
): OpenProcess {
  let gone = stdin === undefined;
  let last: Promise<unknown> = Promise.resolve();
  const close = (): void => {
    gone = true;
  };
  stdin?.once("close", close).once("error", close);
  void ended.then(close);

  async function writeNow(text: string): Promise<boolean> {
    if (gone || stdin === undefined) return false;
    const written = Promise.withResolvers<boolean>();
    stdin.write(text, (error) => written.resolve(error === undefined || error === null));
    // If the pipe is destroyed during a write, the callback may never be called, so the process's end counts too.
    return Promise.race([written.promise, ended.then(() => false)]);
  }

  return {
    pid,
    ended,
    write(text) {
      const rest = keepAwake();
      const done = last.then(() => writeNow(text)).finally(rest);
      last = done;
      return done;
    },
    async end(graceMs) {
      const rest = keepAwake();
      try {
        gone = true;
        stdin?.end();
        await within(clock, graceMs, ended);
        ending.abort();
        return await ended;
      } finally {
        rest();
      }
    },
  };
}

/** Returns the `OpenProcess` of a program that could not be started. */
export function lost(report: ProcessReport): OpenProcess {
  const ended = Promise.resolve(report);
  return { ended, write: async () => false, end: () => ended };
}
