import { setImmediate as poll } from "node:timers/promises";
import type { Clock } from "@hookline/ground";
import { type Diagnostic, diagnose, messageOf } from "@hookline/ground";
import type { ProcessCall, ProcessReport } from "../../port/process.ts";
import { type Exit, isGuestOf, type Running } from "./launch.ts";
import type { Limits } from "./limits.ts";
import { keepEnds, keepNothing, keepWhole } from "./output.ts";
import { endWithHost } from "./presence.ts";
import { within } from "./sleep.ts";
import { endTree, HURRIED_GRACE_MS, TERM_GRACE_MS, type Tree } from "./tree.ts";

/**
 * The time in milliseconds to wait for output after the exit, so that a descendant that keeps the pipe open cannot
 * delay the report longer.
 */
const DRAIN_MS = 250;

/** A call as its supervisor sees it. A promise that `onData` returns delays further stdout. */
export type Supervised = Omit<ProcessCall, "onData"> & {
  onData?(chunk: Uint8Array, stream: "stdout" | "stderr"): void | Promise<void>;
};

/** The call, its limits and the transport's functions that `supervise` needs. */
export interface Supervision {
  readonly call: Supervised;
  readonly limits: Limits;
  readonly clock: Clock;
  /** The rule by which further processes, such as background programs, belong to the call and are ended with it. */
  readonly tree: Omit<Tree, "leader" | "guest">;
  /** Functions that end each running process, for closing the transport. */
  readonly stoppers: Set<() => void>;
  /** Returns whether the transport was closed while the process was being started. */
  closed(): boolean;
  readonly report: (diagnostic: Diagnostic) => void;
}

/** The report of a process without its wait for a slot, which the supervisor does not know. */
export type Watched = Omit<ProcessReport, "queueMs">;
type Stop = "timed-out" | "aborted" | "over-limit" | "lost";

/**
 * Follows one running process to its end, or ends it. Resolves when it has exited and its output has been read, for
 * which it waits at most `DRAIN_MS`. Never rejects.
 */
export async function supervise(running: Running, about: Supervision): Promise<Watched> {
  const { call, limits, clock } = about;
  const startedAt = clock.now();
  const stop = Promise.withResolvers<Stop>();
  const out = (call.keepsStdout === false ? keepNothing : keepWhole)(limits.maxStdoutBytes);
  const errors = keepEnds(limits.maxStderrBytes);
  const told = listener(about);
  const isGuest = isGuestOf(call);
  const tree: Tree = { ...about.tree, ...(isGuest ? { guest: running.pid } : { leader: running.pid }) };

  let exit: Exit | undefined;
  let exitedAt: number | undefined;
  const exited = running.exited.then((how) => {
    exit = how;
    exitedAt = clock.now();
  });
  const drained = Promise.all([running.stdout.ended, running.stderr.ended]);
  let written = 0;
  const isTooMuch = (chunk: Uint8Array): boolean => (written += chunk.length) > limits.maxOutputBytes;
  const cut = (): void => {
    stop.resolve("over-limit");
    for (const source of [running.stdout, running.stderr]) source.read(dropped);
  };
  running.stdout.read((chunk) => {
    const busy = told(chunk, "stdout");
    if (busy !== undefined) running.stdout.hold(busy);
    if (!out.push(chunk) || isTooMuch(chunk)) cut();
  });
  running.stderr.read((chunk) => {
    void told(chunk, "stderr");
    errors.push(chunk);
    if (isTooMuch(chunk)) cut();
  });
  if (call.stdin !== undefined && call.stdin !== "inherit") running.stdin?.end(call.stdin);

  const onAbort = (): void => stop.resolve("aborted");
  call.signal?.addEventListener("abort", onAbort, { once: true });
  about.stoppers.add(onAbort);
  if (call.signal?.aborted === true || about.closed()) onAbort();
  const forget = isGuest ? () => {} : endWithHost(running.pid);
  // A busy host may run this timer before it learns of an exit, so it polls for the exit first.
  const isEndless = limits.timeoutMs === Number.POSITIVE_INFINITY;
  const timeout = isEndless
    ? undefined
    : clock.timer(limits.timeoutMs, () => {
        void poll().then(() => exit === undefined && stop.resolve("timed-out"));
      });

  let stopped = await Promise.race([
    stop.promise,
    exited.then(() => (exit === "lost" ? ("lost" as const) : undefined)),
  ]);
  timeout?.cancel();
  let survivors: readonly number[] = [];
  if (stopped === undefined) {
    await within(clock, DRAIN_MS, Promise.race([stop.promise, drained]));
    // Output from before the exit is already in the pipe; one round of polling reads it, however late the timer was.
    stopped = await Promise.race([stop.promise, poll(undefined)]);
  }
  if (stopped !== undefined) {
    survivors = await endTree(tree, stopped === "timed-out" ? TERM_GRACE_MS : HURRIED_GRACE_MS, clock);
    await within(clock, DRAIN_MS, Promise.all([exited, drained]));
  }

  forget();
  about.stoppers.delete(onAbort);
  call.signal?.removeEventListener("abort", onAbort);
  running.stdin?.destroy();
  for (const source of [running.stdout, running.stderr]) {
    source.read(dropped);
    source.destroy();
  }
  if (survivors.length > 0) about.report(diagnose("SURVIVORS", { label: call.label, pids: survivors.join(", ") }));

  const { text: stdout, valid: stdoutValid } = out.text();
  return {
    ...statusOf(stopped, exit),
    stdout,
    stdoutValid,
    stderr: errors.text(),
    pid: running.pid,
    survivors,
    runMs: (exitedAt ?? clock.now()) - startedAt,
  };
}

function statusOf(
  stopped: Stop | undefined,
  exit: Exit | undefined,
): Pick<Watched, "status" | "exitCode" | "signal" | "startError"> {
  if (stopped === "lost") {
    // `EAGAIN` counts as a failure of the engine, not of the hook, so that a guard whose exit is lost refuses the call.
    return {
      status: "not-started",
      startError: {
        code: "EAGAIN",
        message:
          "Something else in this process collected the end of the program, so its result is unknown; its remaining processes were ended",
      },
    };
  }
  const known = exit === undefined || exit === "lost" ? undefined : exit;
  return {
    status: stopped ?? (known?.signal == null ? "exited" : "signalled"),
    ...(known?.code != null && { exitCode: known.code }),
    ...(known?.signal != null && { signal: known.signal }),
  };
}

function dropped(): void {}

/** Returns the call's own listener, with its errors caught: the first one is reported. */
function listener({ call, report }: Supervision): NonNullable<Supervised["onData"]> {
  let failed = false;
  const fail = (error: unknown): void => {
    if (!failed)
      report(diagnose("LISTENER_THREW", { what: `the output of "${call.label}"`, problem: messageOf(error) }));
    failed = true;
  };
  return (chunk, stream) => {
    try {
      // A chunk is only valid during the call, but the listener may keep it, so it gets a copy.
      return call.onData?.(Buffer.from(chunk), stream)?.catch(fail);
    } catch (error) {
      fail(error);
      return undefined;
    }
  };
}
