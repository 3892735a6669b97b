import { Worker } from "node:worker_threads";
import { diagnose, place } from "../../error/diagnostic.ts";
import type { Call, WatchedCall } from "../../hook/call.ts";
import type { Hook } from "../../hook/hook.ts";
import { removeFrom } from "../../run/deadline.ts";

/** Places in the memory that the watchdog shares with the hooks. */
export const CELLS = {
  /** Counts the hooks that were entered; 0 while none is running its own code. */
  entered: 0,
  /** The number of the hook that was entered last. */
  hook: 1,
  /** The value of `entered` for a hook that took too long. */
  overdue: 2,
  /** Since when, in ms of the system's monotonic clock, cut to 31 bits. */
  since: 3,
  /** Never written; the thread waits on it. */
  rest: 4,
  /** The main thread's heartbeat: while it stands still, so does everything else. */
  beat: 5,
  /** 1 if the heartbeat has stood still for too long and no hook was entered: something computes after an `await`. */
  stalled: 6,
  /** The number of the last hook that is awaited; 0 if none is. */
  awaited: 7,
  /** 1 while no handler runs: the main thread has no heartbeat, and the watchdog's thread waits until this is 0. */
  asleep: 8,
  /** Counts the thread's checks. */
  looks: 9,
} as const;

/**
 * The watchdog's thread: plain JavaScript, so that it needs no file and no loader. While handlers run it checks the
 * shared cells ten times a second. It marks an overdue hook, or a main thread that stands still although no hook was
 * entered, and later names it on stderr, since nothing else in the process can run while a hook computes.
 */
export const WATCHDOG_THREAD = `"use strict";
const { parentPort, receiveMessageOnPort, workerData } = require("node:worker_threads");
const { writeSync } = require("node:fs");
const { cells, overdueMs, loudMs, lookMs } = workerData;
const names = new Map();
const now = () => Number((process.hrtime.bigint() / 1000000n) & 0x7fffffffn);
let seen = 0;
let since = 0;
let isLoud = false;
let looked = now();
let worked = process.cpuUsage();
let beat = 0;
let still = now();
let isTold = false;
const tell = (name, ms, what) => {
  const text = name + what + Math.round(ms / 1000) + " s; nothing else can happen until it returns (kill " + process.pid + " ends it)\\n";
  try {
    writeSync(2, text);
  } catch {}
};
for (;;) {
  if (Atomics.wait(cells, ${CELLS.asleep}, 1) === "ok") {
    looked = still = now();
    worked = process.cpuUsage();
    seen = 0;
  }
  Atomics.wait(cells, ${CELLS.rest}, 0, lookMs);
  if (Atomics.load(cells, ${CELLS.asleep}) !== 0) continue;
  Atomics.add(cells, ${CELLS.looks}, 1);
  for (let got = receiveMessageOnPort(parentPort); got !== undefined; got = receiveMessageOnPort(parentPort))
    names.set(got.message[0], got.message[1]);
  const entered = Atomics.load(cells, ${CELLS.entered});
  const beats = Atomics.load(cells, ${CELLS.beat});
  // A thread that has not checked for long was suspended together with the process.
  const gap = now() - looked;
  const { user, system } = process.cpuUsage(worked);
  const wasStopped = gap > overdueMs && (user + system) / 1000 < gap / 4;
  looked = now();
  worked = process.cpuUsage();
  if (wasStopped) {
    seen = 0;
    still = looked;
    continue;
  }
  if (entered !== 0 || beats !== beat) {
    beat = beats;
    still = looked;
    isTold = false;
  } else if (beat > 0 && looked - still >= overdueMs) {
    if (!isTold && Atomics.load(cells, ${CELLS.stalled}) === 0) {
      isTold = true;
      Atomics.store(cells, ${CELLS.since}, still);
      Atomics.store(cells, ${CELLS.stalled}, 1);
    }
    const waiting = names.get(Atomics.load(cells, ${CELLS.awaited}));
    if (looked - still >= loudMs && isTold !== "loudly" && waiting !== undefined) {
      isTold = "loudly";
      tell(waiting, looked - still, " is waited for, and this process has been busy for ");
    }
  }
  if (entered !== seen) {
    seen = entered;
    since = now();
    isLoud = false;
    continue;
  }
  const ms = now() - since;
  if (entered === 0 || ms < overdueMs) continue;
  if (Atomics.load(cells, ${CELLS.overdue}) !== entered) {
    Atomics.store(cells, ${CELLS.since}, since);
    Atomics.store(cells, ${CELLS.overdue}, entered);
  }
  if (ms < loudMs || isLoud) continue;
  isLoud = true;
  const name = names.get(Atomics.load(cells, ${CELLS.hook})) ?? "A hook";
  tell(name, ms, " has kept this process busy for ");
}
`;

type Run = (event: never, call: Call) => unknown;

/** How long a hook may compute without yielding before it is named, in ms. */
const OVERDUE_MS = 1000;
/** When its name is written to stderr, because it may never return. */
const LOUD_MS = 5000;
const LOOK_MS = 100;
/** The interval of the main thread's heartbeat. */
const BEAT_MS = 250;
/** The number of beats without a handler after which the watchdog sleeps. */
const BEATS_UNTIL_SLEEP = 2;

/** Shared with the thread. Per process, as its one main thread is. */
export const cells = new Int32Array(new SharedArrayBuffer(Object.keys(CELLS).length * Int32Array.BYTES_PER_ELEMENT));
/** The awaited calls, in start order. */
const awaited: WatchedCall[] = [];
/**
 * Calls whose time is over, and whose handlers have not settled. They are not kept from being collected: a handler that
 * nothing can resume never settles, and its call leads to all that was loaded with it.
 */
const late = new Set<WeakRef<WatchedCall>>();
/** By a hook's label: grows with distinct hooks, never with loads. */
const named = new Map<string, number>();
const unsent: [number, string][] = [];
let thread: Worker | undefined;
let count = 0;
/** The value of `count` at the last beat, and how many beats ago a handler ran. */
let counted = 0;
let idleBeats = 0;
let beating: NodeJS.Timeout | undefined;

/**
 * Lets a handler be named when its own code keeps the process busy: reported when it returns, and on stderr after five
 * seconds. It is not ended, because nothing in the same thread can do that. Computation after an `await` cannot be
 * attributed: then the hooks that were awaited are named. Source: guarantees R29.
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
    count = next(count);
    const own = count;
    cells[CELLS.hook] = number;
    cells[CELLS.entered] = own;
    if (cells[CELLS.asleep] === 1) wake();
    try {
      const result = run(event, call);
      if (result instanceof Promise && "whenSettled" in call) follow(call as WatchedCall, number);
      return result;
    } finally {
      cells[CELLS.entered] = outer;
      cells[CELLS.hook] = outerHook;
      if (cells[CELLS.overdue] === own) tell(call.hook, "HOOK_BLOCKED");
    }
  };
}

/** Starts the watchdog's thread once a session has started; it delays neither the start nor the end of the process. */
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
  // Hooks also run without a watchdog.
  thread.on("error", () => {});
  thread.unref();
  wake();
  for (const name of unsent.splice(0)) thread.postMessage(name);
}

/** Starts the heartbeat and the checks, until no handler has run for a while. */
function wake(): void {
  idleBeats = 0;
  cells[CELLS.beat] = next(cells[CELLS.beat] as number);
  beating = setInterval(beat, BEAT_MS).unref();
  Atomics.store(cells, CELLS.asleep, 0);
  Atomics.notify(cells, CELLS.asleep);
}

/** Nothing wakes up before the next handler: an idle session uses no battery. */
function sleep(): void {
  clearInterval(beating);
  Atomics.store(cells, CELLS.asleep, 1);
}

/** Lists a hook as awaited until its promise settles. */
function follow(call: WatchedCall, number: number): void {
  awaited.push(call);
  call.whenSettled = settled;
  cells[CELLS.awaited] = number;
}

function settled(call: Call): void {
  if (!removeFrom(awaited, call as WatchedCall)) forget((one) => one === call);
  if (awaited.length + late.size === 0) cells[CELLS.awaited] = 0;
  if (cells[CELLS.stalled] !== 0) stalled([call]);
}

/**
 * The main thread continues; if it stood still meanwhile, the hooks whose handlers have not settled are reported. A
 * handler whose time is over keeps nobody awake.
 */
function beat(): void {
  if (cells[CELLS.stalled] !== 0) stalled([...awaited, ...[...late].flatMap((one) => one.deref() ?? [])]);
  cells[CELLS.beat] = next(cells[CELLS.beat] as number);
  for (const call of awaited.filter(({ isPending }) => !isPending)) {
    removeFrom(awaited, call);
    late.add(new WeakRef(call));
  }
  forget((one) => one === undefined);
  idleBeats = count === counted && awaited.length === 0 ? idleBeats + 1 : 0;
  counted = count;
  if (idleBeats >= BEATS_UNTIL_SLEEP) sleep();
}

function forget(isOver: (call: WatchedCall | undefined) => boolean): void {
  for (const one of late) if (isOver(one.deref())) late.delete(one);
}

/** Counts on, within what a cell holds. */
function next(number: number): number {
  return (number + 1) & 0x7fffffff || 1;
}

function stalled(calls: readonly Call[]): void {
  cells[CELLS.stalled] = 0;
  for (const { hook } of calls) tell(hook, "HOOK_STALLED");
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

function tell(hook: Hook, code: "HOOK_BLOCKED" | "HOOK_STALLED"): void {
  const now = Number((process.hrtime.bigint() / 1_000_000n) & 0x7fffffffn);
  const ms = now - (cells[CELLS.since] as number);
  const { id, source, event, instance } = hook;
  const details = { hook: id, place: place(source), event, ms };
  instance.report(diagnose(code, details, { source, hook: id, event }));
}
