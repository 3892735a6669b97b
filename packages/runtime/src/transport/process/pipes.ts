import { spawn } from "node:child_process";
import { closeSync, constants, openSync, readlinkSync, readSync } from "node:fs";
import { Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { isMainThread } from "node:worker_threads";
import type { Clock } from "@hookline/ground";
import { RUN_VARIABLE } from "./marker.ts";
import { HAS_PROC } from "./proc.ts";

/** A pipe as two file descriptors of this process. The code that takes a pipe must close both. */
export interface Pipe {
  readonly read: number;
  readonly write: number;
  /** Closes an end that has not become a stream. */
  close(end: number): void;
}

/**
 * Makes real pipes, for which Node has no call.
 *
 * Node connects children by sockets. A socket cannot be opened by name, so `cat /dev/stdin`, `tee /dev/stderr` and
 * `[ -p /dev/stdin ]` fail in programs that were written for hosts with pipes. A small idle shell makes pipes instead:
 * a here-document is a pipe, and its ends can be opened through `/proc`.
 */
export interface PipeSource {
  /** Returns pipes; `undefined` if real pipes are not available. Rejects like `open`, for example with `EMFILE`. */
  take(count: number): Promise<readonly Pipe[] | undefined>;
  close(): void;
}

/** The descriptors of the here-documents; a shell takes descriptors of one digit only. */
const NUMBERS = [3, 4, 5, 6, 7, 8, 9];

/**
 * The program of the shell. One input line makes it open a batch of pipes and print a line; the next one makes it close
 * them. A here-document is never empty, because some shells use no pipe for an empty one.
 */
const SCRIPT = `while read _; do exec ${NUMBERS.map((n) => `${n}<<E`).join(" ")}
${NUMBERS.map(() => "x\nE\n").join("")}echo; read _; exec ${NUMBERS.map((n) => `${n}<&-`).join(" ")}; done`;

const HERE_DOCUMENT_BYTES = 2;
const ANSWER_MS = 10_000;
/** The number of shells in a row that made no pipe, after which the machine is assumed to have none. */
const MAX_FAILURES = 2;
/** The number of pipes that are kept ready; enough for the next two processes. */
const SPARE = 6;
/** The codes of temporary shortages; any other error counts towards `MAX_FAILURES`. */
const SHORTAGES: readonly string[] = ["EMFILE", "ENFILE", "ENOMEM", "EAGAIN"];

/**
 * Returns a source that starts nothing before the first `take`. `onNone` is called once if pipes turn out to be
 * unavailable.
 */
export function createPipeSource(
  clock: Clock,
  marker: string,
  onNone: () => void,
  script: string = SCRIPT,
): PipeSource {
  const spare: Pipe[] = [];
  let maker: Maker | undefined;
  let failures = 0;
  let closed = false;
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let refilling = false;

  async function fill(count: number): Promise<boolean> {
    while (spare.length < count) {
      // A worker gets no pipes: when it ends, Node closes every descriptor that it ever opened, even one that by then
      // belongs to another thread.
      if (closed || !HAS_PROC || !isMainThread || failures === MAX_FAILURES) return false;
      maker ??= await startMaker(clock, marker, script);
      if (await maker.batch(spare)) {
        failures = 0;
        continue;
      }
      maker.close();
      maker = undefined;
      if (++failures === MAX_FAILURES) onNone();
    }
    return true;
  }

  function release(): void {
    maker?.close();
    for (const pipe of spare.splice(0)) closePipe(pipe);
  }

  /** Runs the work after all earlier work has ended. */
  function afterLast<T>(work: () => Promise<T>): Promise<T> {
    const settle = (): void => {
      waiting--;
      if (closed) release();
    };
    waiting++;
    const done = last.then(work);
    last = done.then(settle, settle);
    return done;
  }

  /** Makes the next batch while this one is used, so that a process does not have to wait for the shell. */
  async function refill(): Promise<void> {
    if (refilling) return;
    refilling = true;
    await turn();
    refilling = false;
    await afterLast(() => fill(SPARE)).catch(() => {});
  }

  return {
    async take(count) {
      try {
        if (waiting === 0 && spare.length >= count) return spare.splice(0, count);
        return await afterLast(async () => ((await fill(count)) ? spare.splice(0, count) : undefined));
      } finally {
        void refill();
      }
    },
    close() {
      closed = true;
      release();
    },
  };
}

/** Closes both ends of a pipe. */
export function closePipe(pipe: Pipe): void {
  pipe.close(pipe.read);
  pipe.close(pipe.write);
}

interface Maker {
  /** Adds a batch of pipes; returns false if the shell is gone or its descriptors are no pipes. */
  batch(into: Pipe[]): Promise<boolean>;
  close(): void;
}

async function startMaker(clock: Clock, marker: string, script: string): Promise<Maker> {
  const child = spawn("/bin/sh", ["-c", script], {
    stdio: ["pipe", "pipe", "ignore"],
    detached: true,
    cwd: "/",
    env: { [RUN_VARIABLE]: marker },
  });
  const { stdin, stdout, pid } = child;
  let gone = false;
  let answer: (answered: boolean) => void = () => {};
  const fail = (): void => {
    gone = true;
    answer(false);
  };
  child.on("exit", fail).unref();
  stdin.on("error", fail);
  stdout.on("error", fail).on("data", () => answer(true));
  for (const stream of [stdin, stdout]) if (stream instanceof Socket) stream.unref();
  if (pid === undefined) {
    const error = await new Promise((resolve) => child.once("error", resolve));
    if (isShortage(error)) throw error;
    fail();
  }
  child.on("error", fail);

  return {
    async batch(into) {
      if (gone) return false;
      const late = clock.timer(ANSWER_MS, () => answer(false));
      const answered = await new Promise<boolean>((resolve) => {
        answer = resolve;
        stdin.write("\n");
      });
      late.cancel();
      if (!answered) return false;
      try {
        return NUMBERS.every((number) => openBoth(`/proc/${pid}/fd/${number}`, into));
      } catch (error) {
        if (isShortage(error)) throw error;
        return false;
      } finally {
        stdin.write("\n");
      }
    },
    close() {
      // The shell ends when its input does.
      stdin.destroy();
      stdout.destroy();
    },
  };
}

function isShortage(error: unknown): boolean {
  return SHORTAGES.includes(String((error as NodeJS.ErrnoException).code));
}

function openBoth(path: string, into: Pipe[]): boolean {
  if (!readlinkSync(path).startsWith("pipe:")) return false;
  const read = openSync(path, constants.O_RDONLY);
  try {
    const write = openSync(path, constants.O_WRONLY);
    readSync(read, Buffer.alloc(HERE_DOCUMENT_BYTES));
    into.push({ read, write, close: closeSync });
    return true;
  } catch (error) {
    closeSync(read);
    throw error;
  }
}
