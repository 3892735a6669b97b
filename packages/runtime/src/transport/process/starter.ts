import type { Diagnostic } from "../../error/diagnostic.ts";
import type { Clock } from "../../port/clock.ts";
import { createDirectLauncher } from "./direct.ts";
import { canHelp, type SpawnHelper, startHelper } from "./helper.ts";
import { failureOf, type Launch, type Running, type StartFailure } from "./launch.ts";
import { type Native, native } from "./native.ts";
import { createPipeSource, type PipeSource } from "./pipes.ts";
import { sleep } from "./sleep.ts";
import { endTree } from "./tree.ts";

/** Who starts the processes: the host through Node or through the system's library, the helper, or whichever is cheapest. */
export type StartPath = "spawn" | "native" | "helper" | "auto";

/** One process to start; asked anew for each attempt, so that each has a marker segment of its own. */
export type Describe = () => { readonly launch: Launch; readonly segment: string };

/** What came of a start: the process, or why there is none, with the launch and marker of its last attempt. */
export interface Start {
  readonly launch: Launch;
  readonly segment: string;
  readonly running: Running | StartFailure;
}

/** Starts processes by the way that fits, and falls back to the host's own when the helper is gone. */
export interface Starter {
  /** Never rejects. */
  start(describe: Describe, sinceTicks: number): Promise<Start>;
  /** Ends what the starter runs for itself. */
  close(): Promise<void>;
}

/** From this size of the host on, `auto` has the helper start processes. */
const HELPER_ABOVE_RSS_BYTES = 256 * 1024 * 1024;
/** A small host that has started as many itself will start more: the helper is quicker even there, and blocks nothing. */
const HELPER_AFTER_STARTS = 16;

/** Waits before a program that is still being written is tried again, in ms. */
const BUSY_RETRIES_MS: readonly number[] = [10, 40, 160];

/**
 * Makes the starter of one run. `path` settles who starts processes; whatever it says, the host does where the helper
 * cannot be had, with the same result (guarantees R11). Without `usesNative` the system's library is not loaded at all.
 */
export function createStarter(
  runId: string,
  path: StartPath,
  clock: Clock,
  report: (diagnostic: Diagnostic) => void,
  usesNative = true,
): Starter {
  const library = usesNative ? librarian(path, report) : () => undefined;
  const shell = createPipeSource(clock, `${runId}.pipes`, () => {
    report({
      code: "START_FAILED",
      severity: "warning",
      message: "Programs are connected by sockets: this machine's /bin/sh makes no pipes that the host can open",
      hint: "Programs that open /dev/stdin, /dev/stdout or /dev/stderr by name will fail; redirect with <&0 and >&2 instead.",
    });
  });
  const pipes: PipeSource = {
    take: async (count) => library()?.pipes(count) ?? shell.take(count),
    close: () => shell.close(),
  };
  const direct = createDirectLauncher(pipes);
  let helper: SpawnHelper | undefined;
  let unavailable = false;
  let starts = 0;
  function launchNatively(launch: Launch): Running | StartFailure | undefined {
    // Only Node starts a process in the host's own session.
    if (launch.isGuest) return undefined;
    const way = library()?.launch;
    return typeof way === "function" ? way(launch) : undefined;
  }

  function withoutHelper(problem: string): void {
    unavailable = true;
    report({
      code: "START_FAILED",
      severity: "warning",
      message: `The spawn helper is not used any more: ${problem}`,
      hint: "Processes are started by the host itself, which takes longer in a large one; nothing else changes.",
    });
  }

  function summon(): SpawnHelper | undefined {
    if (helper !== undefined || unavailable) return helper;
    if (!canHelp()) {
      unavailable = true;
      if (path === "helper") withoutHelper("it takes Linux and a plain Node");
      return undefined;
    }
    try {
      helper = startHelper(pipes, clock, `${runId}.helper`, withoutHelper);
    } catch (error) {
      withoutHelper(failureOf(error).message);
    }
    return helper;
  }

  /** The helper, if it is to start the next process. */
  async function helperFor({ isGuest }: Launch): Promise<SpawnHelper | undefined> {
    // Only the host itself can hand over its terminal.
    if (path === "spawn" || isGuest || unavailable) return undefined;
    if (path === "auto" && helper === undefined && !isWorthwhile()) return undefined;
    const found = summon();
    // With `auto` nobody waits for it to come up.
    if (path === "helper") await found?.settled;
    return found?.state() === "ready" ? found : undefined;
  }

  function isWorthwhile(): boolean {
    return ++starts > HELPER_AFTER_STARTS || process.memoryUsage.rss() >= HELPER_ABOVE_RSS_BYTES;
  }

  async function attempt(describe: Describe, sinceTicks: number): Promise<Start> {
    const described = describe();
    const quick = launchNatively(described.launch);
    if (quick !== undefined) return { ...described, running: quick };
    const chosen = await helperFor(described.launch);
    if (chosen === undefined) return { ...described, running: await direct(described.launch) };
    const running = await chosen.launch(described.launch);
    if (running !== undefined) return { ...described, running };
    // The helper may have started it without living to tell.
    await endTree({ accepts: (segment) => segment === described.segment, sinceTicks }, 0, clock);
    const again = describe();
    return { ...again, running: await direct(again.launch) };
  }

  return {
    async start(describe, sinceTicks) {
      let start = await attempt(describe, sinceTicks);
      for (const pauseMs of BUSY_RETRIES_MS) {
        if (!("code" in start.running) || start.running.code !== "ETXTBSY") break;
        await sleep(clock, pauseMs);
        start = await attempt(describe, sinceTicks);
      }
      return start;
    },
    async close() {
      pipes.close();
      await helper?.close();
    },
  };
}

/**
 * The system's library, once there is a process to start, unless others are to start it. Says once why it cannot be had,
 * where it was asked for by name.
 */
function librarian(path: StartPath, report: (diagnostic: Diagnostic) => void): () => Native | undefined {
  const isWanted = path === "native" || path === "auto";
  let found: Native | string | undefined = isWanted ? undefined : "others are to start processes";
  return () => {
    if (found === undefined) {
      found = native();
      const problem = typeof found === "string" ? found : found.launch;
      if (typeof problem === "string" && path === "native") {
        report({
          code: "START_FAILED",
          severity: "warning",
          message: `Processes are not started by the system's own library: ${problem}`,
          hint: "They are started by Node or by the spawn helper, which takes longer; nothing else changes.",
        });
      }
    }
    return typeof found === "string" ? undefined : found;
  };
}
