import { Worker } from "node:worker_threads";
import { diagnose, place } from "../../error/diagnostic.ts";
import type { Call } from "../../hook/call.ts";
import type { Hook } from "../../hook/hook.ts";
import { CELLS, WATCHDOG_THREAD } from "./watchdog-thread.ts";

type Run = (event: never, call: Call) => unknown;

/** How long a hook may compute without a pause before it is named, in ms. */
const OVERDUE_MS = 1000;
/** When its name goes to stderr, because it may never return. */
const LOUD_MS = 5000;
const LOOK_MS = 100;
/** How often the main thread says that it goes on. */
const BEAT_MS = 250;
/** Beats without a handler after which the watchdog falls asleep. */
const BEATS_UNTIL_SLEEP = 2;

/** Shared with the thread. Per process, as its one main thread is. */
export const cells = new Int32Array(new SharedArrayBuffer(Object.keys(CELLS).length * Int32Array.BYTES_PER_ELEMENT));
/** The calls that are waited for, in the order of beginning; an object for each time. */
const awaited = new Set<{ readonly call: Call }>();
/** Modules may change everybody's. */
const { then } = Promise.prototype;
const numbers = new WeakMap<Hook, number>();
/** By what a person is told of a hook: grows with distinct hooks, never with loads. */
const named = new Map<string, number>();
const unsent: [number, string][] = [];
let thread: Worker | undefined;
let count = 0;
/** What `count` was at the last beat, and how many beats ago a handler ran. */
let counted = 0;
let idleBeats = 0;
let beating: NodeJS.Timeout | undefined;

/**
 * Lets a handler be named when its own code keeps the process busy: reported when it returns, and on stderr after five
 * seconds. It is not ended, which nothing in the same thread can do. What it computes behind an `await` is nobody's by
 * itself: of the process standing still then, those are told that were waited for. Source: guarantees R29.
 */
export function watched(run: Run): Run {
  return (event, call) => {
    const outer = cells[CELLS.entered] as number;
    const outerHook = cells[CELLS.hook] as number;
    count = next(count);
    const own = count;
    cells[CELLS.hook] = numbers.get(call.hook) ?? numbered(call.hook);
    cells[CELLS.entered] = own;
    if (cells[CELLS.asleep] === 1) wake();
    try {
      const result = run(event, call);
      if (result instanceof Promise) follow(result, call);
      return result;
    } finally {
      cells[CELLS.entered] = outer;
      cells[CELLS.hook] = outerHook;
      if (cells[CELLS.overdue] === own) tell(call.hook, "HOOK_BLOCKED");
    }
  };
}

/** Starts the watching thread when a session has started; it holds up neither the start nor the end of the process. */
export async function watch(started: Promise<void> | undefined): Promise<void> {
  await started;
  if (started === undefined || thread !== undefined) return;
  thread = new Worker(WATCHDOG_THREAD, {
    eval: true,
    workerData: { cells, overdueMs: OVERDUE_MS, loudMs: LOUD_MS, lookMs: LOOK_MS },
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 },
  });
  // Without a watchdog hooks run as well.
  thread.on("error", () => {});
  thread.unref();
  wake();
  for (const name of unsent.splice(0)) thread.postMessage(name);
}

/** Begins to beat and to look, until no handler has run for a while. */
function wake(): void {
  idleBeats = 0;
  cells[CELLS.beat] = next(cells[CELLS.beat] as number);
  beating = setInterval(beat, BEAT_MS).unref();
  Atomics.store(cells, CELLS.asleep, 0);
  Atomics.notify(cells, CELLS.asleep);
}

/** Nothing wakes up any more before a handler runs: an idle session costs no battery. */
function sleep(): void {
  clearInterval(beating);
  Atomics.store(cells, CELLS.asleep, 1);
}

/** Keeps a hook among those that are waited for until its promise is settled. */
function follow(promise: Promise<unknown>, call: Call): void {
  const own = { call };
  awaited.add(own);
  cells[CELLS.awaited] = numbers.get(call.hook) ?? 0;
  const done = (): void => {
    awaited.delete(own);
    if (awaited.size === 0) cells[CELLS.awaited] = 0;
    if (cells[CELLS.stalled] !== 0) stalled([own]);
  };
  void then.call(promise, done, done);
}

/** The main thread goes on; where it stood still meanwhile, those are told that are still waited for. */
function beat(): void {
  if (cells[CELLS.stalled] !== 0) stalled(awaited);
  cells[CELLS.beat] = next(cells[CELLS.beat] as number);
  idleBeats = count === counted && !isWaitedFor() ? idleBeats + 1 : 0;
  counted = count;
  if (idleBeats >= BEATS_UNTIL_SLEEP) sleep();
}

/** Whether any handler is still waited for. One whose time is over may never settle, and keeps nobody awake. */
function isWaitedFor(): boolean {
  for (const { call } of awaited) if (!call.signal.aborted) return true;
  return false;
}

/** Counts on, within what a cell holds. */
function next(number: number): number {
  return (number % (2 ** 31 - 1)) + 1;
}

function stalled(calls: Iterable<{ readonly call: Call }>): void {
  cells[CELLS.stalled] = 0;
  for (const { call } of calls) tell(call.hook, "HOOK_STALLED");
}

function numbered(hook: Hook): number {
  const name = `Hook "${hook.id}" (${place(hook.source)})`;
  const known = named.get(name);
  const number = known ?? named.size + 1;
  numbers.set(hook, number);
  if (known !== undefined) return number;
  named.set(name, number);
  if (thread === undefined) unsent.push([number, name]);
  else thread.postMessage([number, name]);
  return number;
}

function tell(hook: Hook, code: "HOOK_BLOCKED" | "HOOK_STALLED"): void {
  const now = Number((process.hrtime.bigint() / 1_000_000n) & 0x7fffffffn);
  const ms = now - (cells[CELLS.since] as number);
  const { id, source, event, instance } = hook;
  const details = { hook: id, place: place(source), event, ms };
  instance.report(diagnose(code, details, { source, hook: id, event }));
}
