import { spawn } from "node:child_process";
import { Socket } from "node:net";
import { basename } from "node:path";
import type { Clock } from "../../port/clock.ts";
import { HELPER_PROGRAM } from "./helper-program.ts";
import { type Exit, failureOf, type Launch, type Running, type StartFailure } from "./launch.ts";
import { RUN_VARIABLE } from "./marker.ts";
import type { PipeSource } from "./pipes.ts";
import { openPlumbing, type Plumbing, type Streams } from "./plumbing.ts";
import { HAS_PROC } from "./proc.ts";
import { within } from "./sleep.ts";

/** A small process that starts processes for the host, so that the cost does not grow with the host's memory. */
export interface SpawnHelper {
  /** Never rejects. `undefined` when the helper is gone; only the marker tells whether a process was started. */
  launch(launch: Launch): Promise<Running | StartFailure | undefined>;
  /** `gone` for good: it is never started twice. */
  state(): "starting" | "ready" | "gone";
  /** Resolves when it is ready or gone. Never rejects. */
  readonly settled: Promise<void>;
  /** Resolves when the process has ended. */
  close(): Promise<void>;
}

/** How long the helper may take to be ready, or to answer that a process was started, in ms. */
const ANSWER_MS = 10_000;
const CLOSE_MS = 1000;
/** All that keeps its memory small and its threads few, since every process that it starts begins as a copy of it. */
const NODE_OPTIONS = [
  "--max-old-space-size=64",
  "--max-semi-space-size=1",
  "--single-threaded",
  "--v8-pool-size=0",
  "--jitless",
  "--no-warnings",
  "-e",
  HELPER_PROGRAM,
];

/** True where the program that runs the host can also run the helper: Linux, a plain Node. */
export function canHelp(): boolean {
  return HAS_PROC && /^node(js)?$/.test(basename(process.execPath)) && process.versions["electron"] === undefined;
}

interface Waiting {
  started(answer: number | StartFailure | undefined): void;
  exited(exit: Exit): void;
}

interface Answer {
  readonly ready?: true;
  /** Why the host's descriptors cannot be opened. */
  readonly blind?: string;
  readonly id?: number;
  readonly pid?: number;
  readonly error?: StartFailure;
  readonly exit?: readonly [number | null, string | null];
}

/** Starts the helper. `onGone` is called once if it ends, or never comes up, without having been closed. */
export function startHelper(
  pipes: PipeSource,
  clock: Clock,
  marker: string,
  onGone: (problem: string) => void,
): SpawnHelper {
  const waiting = new Map<number, Waiting>();
  const settled = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  let state: "starting" | "ready" | "gone" = "starting";
  let closing = false;
  let ids = 0;
  let text = "";

  // Outside the host's group and session: what a terminal sends to the host must not reach it.
  const child = spawn(process.execPath, NODE_OPTIONS, {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
    detached: true,
    cwd: "/",
    env: { [RUN_VARIABLE]: marker, MALLOC_ARENA_MAX: "1", ...loaderPath() },
  });
  const line = child.stdio[3] instanceof Socket ? child.stdio[3] : undefined;
  const lose = (problem: string): void => {
    if (state === "gone") return;
    state = "gone";
    ready.cancel();
    child.kill("SIGKILL");
    line?.destroy();
    for (const one of waiting.values()) {
      one.started(undefined);
      one.exited("lost");
    }
    waiting.clear();
    settled.resolve();
    if (!closing) onGone(problem);
  };
  const ready = clock.timer(ANSWER_MS, () => lose(`it was not ready after ${ANSWER_MS} ms`));
  child.on("error", (error) => {
    lose(failureOf(error).message);
    if (child.pid === undefined) ended.resolve();
  });
  child.on("exit", (code, signal) => {
    lose(`it ended with ${signal ?? code}`);
    ended.resolve();
  });
  child.unref();
  line?.unref();
  line?.setEncoding("utf8");
  line?.on("error", (error) => lose(error.message));
  line?.on("close", () => lose("its connection was closed"));
  line?.on("data", (chunk: string) => {
    text += chunk;
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (const one of lines) hear(JSON.parse(one) as Answer);
  });

  function hear({ ready: isReady, blind, id, pid, error, exit }: Answer): void {
    if (blind !== undefined) lose(`it cannot open the host's pipes (${blind})`);
    if (isReady === true && state === "starting") {
      state = "ready";
      ready.cancel();
      settled.resolve();
    }
    const one = id === undefined ? undefined : waiting.get(id);
    if (one === undefined || id === undefined) return;
    if (pid !== undefined) one.started(pid);
    if (error !== undefined) one.started(error);
    if (exit !== undefined) one.exited({ code: exit[0], signal: exit[1] });
    if (error !== undefined || exit !== undefined) waiting.delete(id);
  }

  async function ask(
    launch: Launch,
    plumbing: Plumbing,
  ): Promise<{ started: number | StartFailure | undefined; exited: Promise<Exit>; streams: Streams }> {
    const started = Promise.withResolvers<number | StartFailure | undefined>();
    const exited = Promise.withResolvers<Exit>();
    const id = ++ids;
    const late = clock.timer(ANSWER_MS, () => lose(`it gave no answer within ${ANSWER_MS} ms`));
    waiting.set(id, { started: started.resolve, exited: exited.resolve });
    const stdio = [plumbing.stdin, plumbing.stdout, plumbing.stderr].map((fd) =>
      fd === undefined ? null : `/proc/${process.pid}/fd/${fd}`,
    );
    const { file, args, cwd, env } = launch;
    line?.write(`${JSON.stringify({ id, file, args, cwd, env, stdio })}\n`);
    // Made while the helper is at work.
    const streams = plumbing.connect();
    const answer = await started.promise;
    late.cancel();
    return { started: answer, exited: exited.promise, streams };
  }

  return {
    settled: settled.promise,
    state: () => state,
    async launch(launch) {
      let plumbing: Plumbing | undefined;
      try {
        plumbing = await openPlumbing(pipes, launch.stdin === "pipe");
      } catch (error) {
        return failureOf(error);
      }
      if (plumbing === undefined || state !== "ready") {
        plumbing?.discard();
        return undefined;
      }
      const { started, exited, streams } = await ask(launch, plumbing);
      if (typeof started !== "number") {
        plumbing.discard();
        return started;
      }
      plumbing.settle();
      return { pid: started, exited, ...streams };
    },
    async close() {
      closing = true;
      line?.end();
      if (child.pid === undefined) return;
      await within(clock, CLOSE_MS, ended.promise);
      lose("it was closed");
      await ended.promise;
    },
  };
}

/** Where the system finds Node's own libraries, on machines that need to be told. */
function loaderPath(): Record<string, string> {
  const path = process.env["LD_LIBRARY_PATH"];
  return path === undefined ? {} : { LD_LIBRARY_PATH: path };
}
