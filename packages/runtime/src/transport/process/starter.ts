import type { Clock, Diagnostic } from "@hookline/ground";
import { createDirectLauncher } from "./direct.ts";
import { ownPipesProblem, readsPipes } from "./echo.ts";
import type { Launch, Running, StartFailure } from "./launch.ts";
import { type Native, native } from "./native.ts";
import { createPipeSource, type Pipe, type PipeSource } from "./pipes.ts";
import { sleep } from "./sleep.ts";

/** The way to start processes: Node, the system's C library, or the library if available and else Node. */
export type StartPath = "spawn" | "native" | "auto";

/** Starts processes through the system's C library. If that is not possible or not wanted, Node starts them. */
export interface Starter {
  /** Starts a process. Never rejects. */
  start(launch: Launch): Promise<Running | StartFailure>;
  /** Ends the shell that makes pipes, if there is one. */
  close(): void;
}

/** The times in milliseconds to wait before retries of a program that is still being written. */
const BUSY_RETRIES_MS: readonly number[] = [10, 40, 160];

/**
 * Returns the starter of one run. `path` chooses what starts processes; if the library is not available, Node does it
 * in any case, with the same result (guarantees R11). With `spawn` the library is not loaded at all.
 */
export function createStarter(
  runId: string,
  path: StartPath,
  clock: Clock,
  report: (diagnostic: Diagnostic) => void,
): Starter {
  const library = path === "spawn" ? () => undefined : librarian(path, report);
  const tellSockets = (because: string): void =>
    report({
      code: "START_FAILED",
      severity: "warning",
      message: `Programs are connected by sockets: ${because}`,
      hint: "Programs that open /dev/stdin, /dev/stdout or /dev/stderr by name will fail; redirect with <&0 and >&2 instead.",
    });
  const shell = createPipeSource(clock, `${runId}.pipes`, () =>
    tellSockets("this machine's /bin/sh creates no pipes that the host can open"),
  );
  const take = async (count: number): Promise<readonly Pipe[] | undefined> =>
    library()?.pipes(count) ?? shell.take(count);
  const isRead = (): Promise<boolean> =>
    readsPipes(
      () => take(1),
      clock,
      () => tellSockets("this program cannot read pipes, as Node does"),
    );
  const pipes: PipeSource = {
    take: async (count) => ((await isRead()) ? take(count) : undefined),
    close: () => shell.close(),
  };
  const direct = createDirectLauncher(pipes, () => ownPipesProblem(clock));

  function launchNatively(launch: Launch): Running | StartFailure | undefined {
    // The C library starts every process in a new session, so Node starts those that share the host's session.
    if (launch.isGuest) return undefined;
    const way = library()?.launch;
    return typeof way === "function" ? way(launch) : undefined;
  }

  async function attempt(launch: Launch): Promise<Running | StartFailure> {
    // A host that cannot read pipes by their descriptors would silently lose the output, so Node starts the process.
    const isNative = await isRead().catch(() => true);
    return (isNative ? launchNatively(launch) : undefined) ?? direct(launch);
  }

  return {
    async start(launch) {
      let started = await attempt(launch);
      for (const pauseMs of BUSY_RETRIES_MS) {
        if (!("code" in started) || started.code !== "ETXTBSY") break;
        await sleep(clock, pauseMs);
        started = await attempt(launch);
      }
      return started;
    },
    close: () => pipes.close(),
  };
}

/**
 * Returns a function that loads the system's C library with the first process. Reports once why it is not available, if
 * it was requested by name.
 */
function librarian(path: StartPath, report: (diagnostic: Diagnostic) => void): () => Native | undefined {
  let found: Native | string | undefined;
  return () => {
    if (found === undefined) {
      found = native();
      const problem = typeof found === "string" ? found : found.launch;
      if (typeof problem === "string" && path === "native") {
        report({
          code: "START_FAILED",
          severity: "warning",
          message: `Processes are not started by the system's own library: ${problem}`,
          hint: "Node starts them, which takes longer; nothing else changes.",
        });
      }
    }
    return typeof found === "string" ? undefined : found;
  };
}
