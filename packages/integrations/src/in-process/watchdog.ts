import { Worker } from "node:worker_threads";
import type { Call } from "@hookline/runtime/dialect";
import { diagnose, place } from "@hookline/runtime/dialect";
import type { Hook } from "@hookline/runtime/engine";

/** Indexes into the memory that the watchdog shares with the main thread. */
export const CELLS = {
  /** The number of the handler call that is running; 0 if none is. Each call gets the next number. */
  entered: 0,
  /** The number of the hook whose handler is running. */
  hook: 1,
  /** The number of the last handler call that ran too long. */
  overdue: 2,
  /** The start of the overdue call, in ms of the system's monotonic clock, without the bits above the lowest 31. */
  since: 3,
  /** A cell that is never written. The thread waits on it between two checks. */
  rest: 4,
  /** 1 while the thread sleeps because no hook was entered for a while. */
  asleep: 5,
  /** Counts the thread's checks. */
  looks: 6,
  /** The number of the handler call that began last. */
  last: 7,
} as const;

/**
 * The watchdog's thread. It is plain JavaScript in a string, so that it needs no file and no loader. While hooks run,
 * it checks the shared cells ten times a second. It marks an overdue run, and later names its hook on stderr, since
 * nothing else in the process can run while a hook computes. Time in which the main thread waited for a processor does
 * not count against the hook, if the system reports it.
 */
export const WATCHDOG_THREAD = `"use strict";
const { parentPort, receiveMessageOnPort, workerData } = require("node:worker_threads");
const { readFileSync, writeSync } = require("node:fs");
const { cells, overdueMs, loudMs, lookMs, sleepAfter, schedule } = workerData;
const names = new Map();
const now = () => Number((process.hrtime.bigint() / 1000000n) & 0x7fffffffn);
const waitedMs = () => {
  try {
    return Number(readFileSync(schedule, "latin1").split(" ")[1]) / 1e6 || 0;
  } catch {
    return 0;
  }
};
let seen = 0;
let since = 0;
let waited = 0;
let isLoud = false;
let last = 0;
let idle = 0;
for (;;) {
  Atomics.wait(cells, ${CELLS.rest}, 0, lookMs);
  Atomics.add(cells, ${CELLS.looks}, 1);
  for (let got = receiveMessageOnPort(parentPort); got !== undefined; got = receiveMessageOnPort(parentPort))
    names.set(got.message[0], got.message[1]);
  const entered = Atomics.load(cells, ${CELLS.entered});
  const latest = Atomics.load(cells, ${CELLS.last});
  idle = entered === 0 && latest === last ? idle + 1 : 0;
  last = latest;
  if (idle >= sleepAfter) {
    Atomics.store(cells, ${CELLS.asleep}, 1);
    // A run that began just now may not have seen that this thread sleeps, and would not wake it.
    if (Atomics.load(cells, ${CELLS.last}) === last) Atomics.wait(cells, ${CELLS.asleep}, 1);
    Atomics.store(cells, ${CELLS.asleep}, 0);
    idle = 0;
    continue;
  }
  if (entered !== seen) {
    seen = entered;
    since = now();
    waited = entered === 0 ? 0 : waitedMs();
    isLoud = false;
    continue;
  }
  if (entered === 0 || now() - since < overdueMs) continue;
  const began = since + Math.round(waitedMs() - waited);
  const ms = now() - began;
  if (ms < overdueMs) continue;
  if (Atomics.load(cells, ${CELLS.overdue}) !== entered) {
    Atomics.store(cells, ${CELLS.since}, began);
    Atomics.store(cells, ${CELLS.overdue}, entered);
  }
  if (ms < loudMs || isLoud) continue;
  isLoud = true;
  const name = names.get(Atomics.load(cells, ${CELLS.hook})) ?? "A hook";
  const seconds = Math.round(ms / 1000);
  try {
    writeSync(2, name + " has kept this process busy for " + seconds + " s; nothing else can happen until it returns (kill " + process.pid + " ends it)\\n");
  } catch {}
}
`;

type Run = (event: never, call: Call) => unknown;

/** The time that a hook may compute without yielding before it is reported, in ms. */
const OVERDUE_MS = 1000;
/** The time after which the hook's name is also written to stderr, because the hook may never return, in ms. */
const LOUD_MS = 5000;
const LOOK_MS = 100;
/** The number of checks without a running hook after which the thread sleeps. */
const SLEEP_AFTER = 5;

/** The memory shared with the thread. There is one for the process, which has only one main thread. */
export const cells = new Int32Array(new SharedArrayBuffer(Object.keys(CELLS).length * Int32Array.BYTES_PER_ELEMENT));
/** The number of each hook, by its label. Loading a hook again adds no entry. */
const named = new Map<string, number>();
const unsent: [number, string][] = [];
let thread: Worker | undefined;
let count = 0;

/**
 * Wraps a handler so that it is reported if it blocks the process for more than a second. The report comes when the
 * handler returns, and on stderr after five seconds: it cannot be ended from its own thread. Computation after an
 * `await` does not count, since hookline cannot tell whose it is. Source: guarantees R29.
 */
export function watched(run: Run): Run {
  let hook: Hook | undefined;
  let number = 0;
  return (event, call) => {
    if (hook !== call.hook) {
      hook = call.hook;
      number = numbered(hook);
    }
    const outer = cells[CELLS.entered] as number;
    const outerHook = cells[CELLS.hook] as number;
    count = (count + 1) & 0x7fffffff || 1;
    const own = count;
    cells[CELLS.hook] = number;
    cells[CELLS.entered] = own;
    // Must precede the next read: either this code wakes the thread, or the thread sees the call and stays awake.
    Atomics.store(cells, CELLS.last, own);
    if (cells[CELLS.asleep] === 1) Atomics.notify(cells, CELLS.asleep);
    try {
      return run(event, call);
    } finally {
      cells[CELLS.entered] = outer;
      cells[CELLS.hook] = outerHook;
      if (cells[CELLS.overdue] === own) tell(call.hook);
    }
  };
}

/** Starts the watchdog's thread once the session has started. Delays neither the start nor the end of the process. */
export async function watch(started: Promise<void> | undefined): Promise<void> {
  await started;
  if (started === undefined || thread !== undefined) return;
  thread = new Worker(WATCHDOG_THREAD, {
    eval: true,
    workerData: {
      ...{ cells, overdueMs: OVERDUE_MS, loudMs: LOUD_MS, lookMs: LOOK_MS, sleepAfter: SLEEP_AFTER },
      // Only Linux has this file. Its second number is how long the main thread waited for a processor, in ns.
      schedule: `/proc/self/task/${process.pid}/schedstat`,
    },
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 },
  });
  // Hooks also run without the watchdog.
  thread.on("error", () => {});
  thread.unref();
  for (const name of unsent.splice(0)) thread.postMessage(name);
}

/** Returns the number of a hook. Sends the name of a new hook to the thread, for its message on stderr. */
function numbered(hook: Hook): number {
  const name = `Hook "${hook.id}" (${place(hook.source)})`;
  const known = named.get(name);
  const number = known ?? named.size + 1;
  if (known !== undefined) return number;
  named.set(name, number);
  if (thread === undefined) unsent.push([number, name]);
  else thread.postMessage([number, name]);
  return number;
}

function tell(hook: Hook): void {
  const now = Number((process.hrtime.bigint() / 1_000_000n) & 0x7fffffffn);
  const ms = now - (cells[CELLS.since] as number);
  const { id, source, event, instance } = hook;
  const details = { hook: id, place: place(source), event, ms };
  instance.report(diagnose("HOOK_BLOCKED", details, { source, hook: id, event }));
}
