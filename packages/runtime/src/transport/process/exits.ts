import { constants } from "node:os";
import type { Exit } from "./launch.ts";
import type { Libc } from "./libc.ts";

/** Reports the end of children that were started by the C library, so that Node does not know them. */
export interface Exits {
  /** Calls `start`, which returns a pid, or a negative number for none, and reports the end of that child. */
  follow(start: () => number): { readonly started: number; readonly exited: Promise<Exit> };
  /** Checks for ended children at once; useful when a child's output has ended. */
  look(): void;
}

/** The polling interval in milliseconds; it only matters if other code in the host intercepts SIGCHLD. */
const LOOK_EVERY_MS = 500;

/**
 * Waits for each child by its pid, never for any child, so that children of others are left to them. While children
 * run, it listens to SIGCHLD, and also polls in case the signal was lost.
 */
export function createExits({ wait }: Libc): Exits {
  const running = new Map<number, (exit: Exit) => void>();
  let timer: NodeJS.Timeout | undefined;

  function look(): void {
    for (const [pid, tell] of running) {
      const status = wait(pid);
      if (status === undefined) continue;
      running.delete(pid);
      tell(status === "lost" ? status : exitOf(status));
    }
    if (running.size === 0) rest();
  }

  function listen(): void {
    // If a module has removed all listeners for SIGCHLD, `look` is added again.
    if (timer !== undefined && process.listeners("SIGCHLD").includes(look)) return;
    process.on("SIGCHLD", look);
    timer ??= setInterval(look, LOOK_EVERY_MS).unref();
  }

  function rest(): void {
    process.off("SIGCHLD", look);
    clearInterval(timer);
    timer = undefined;
  }

  return {
    look,
    follow(start) {
      listen();
      const exited = Promise.withResolvers<Exit>();
      const started = start();
      if (started > 0) running.set(started, exited.resolve);
      else if (running.size === 0) rest();
      return { started, exited: exited.promise };
    },
  };
}

const NAMES: ReadonlyMap<number, string> = new Map(
  Object.entries(constants.signals)
    .reverse()
    .map(([name, number]) => [number, name]),
);

function exitOf(status: number): Exit {
  const signal = status & 0x7f;
  if (signal === 0) return { code: (status >> 8) & 0xff, signal: null };
  return { code: null, signal: NAMES.get(signal) ?? `SIG${signal}` };
}
