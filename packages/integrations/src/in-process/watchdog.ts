import { Worker } from "node:worker_threads";
import type { Call } from "@hookline/runtime/dialect";
import { diagnose, place } from "@hookline/runtime/dialect";
import type { Hook } from "@hookline/runtime/engine";

/** Places in the memory that the watchdog shares with the hooks. */
export const CELLS = {
  /** The count of the hook that is running its own code; 0 while none is. */
  entered: 0,
  /** The number of the hook that was entered last. */
  hook: 1,
  /** The value of `entered` for a hook that took too long. */
  overdue: 2,
  /** Since when, in ms of the system's monotonic clock, cut to 31 bits. */
  since: 3,
  /** Never written; the thread waits on it. */
  rest: 4,
  /** 1 while the thread sleeps because no hook was entered for a while. */
  asleep: 5,
  /** Counts the thread's checks. */
  looks: 6,
  /** The count of the hook that was entered last. */
  last: 7,
} as const;

/**
 * The watchdog's thread: plain JavaScript, so that it needs no file and no loader. While hooks run it checks the shared
 * cells ten times a second. It marks an overdue hook, and later names it on stderr, since nothing else in the process
 * can run while a hook computes. The time in which the main thread was ready to run and had no processor is not the
 * hook's, as far as the system tells it.
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
    // A hook that was entered meanwhile may not have seen that this thread sleeps.
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

/** How long a hook may compute without yielding before it is named, in ms. */
const OVERDUE_MS = 1000;
/** When its name is written to stderr, because it may never return. */
const LOUD_MS = 5000;
const LOOK_MS = 100;
/** The number of checks without a hook after which the thread sleeps. */
const SLEEP_AFTER = 5;

/** Shared with the thread. Per process, as its one main thread is. */
export const cells = new Int32Array(new SharedArrayBuffer(Object.keys(CELLS).length * Int32Array.BYTES_PER_ELEMENT));
/** By a hook's label: grows with distinct hooks, never with loads. */
const named = new Map<string, number>();
const unsent: [number, string][] = [];
let thread: Worker | undefined;
let count = 0;

/**
 * Lets a handler be named when its own code keeps the process busy: reported when it returns, and on stderr after five
 * seconds. It is not ended, because nothing in the same thread can do that. Computation after an `await` is nobody's:
 * it cannot be attributed. Source: guarantees R29.
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
    // Ordered before the next read, so that either this sees that the thread sleeps, or the thread sees this.
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

/** Starts the watchdog's thread once a session has started; it delays neither the start nor the end of the process. */
export async function watch(started: Promise<void> | undefined): Promise<void> {
  await started;
  if (started === undefined || thread !== undefined) return;
  thread = new Worker(WATCHDOG_THREAD, {
    eval: true,
    workerData: {
      ...{ cells, overdueMs: OVERDUE_MS, loudMs: LOUD_MS, lookMs: LOOK_MS, sleepAfter: SLEEP_AFTER },
      // Linux alone has it: its second number is how long the main thread was ready and waited for a processor, in ns.
      schedule: `/proc/self/task/${process.pid}/schedstat`,
    },
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 },
  });
  // Hooks also run without a watchdog.
  thread.on("error", () => {});
  thread.unref();
  for (const name of unsent.splice(0)) thread.postMessage(name);
}

/** The number by which the thread knows a hook. */
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
