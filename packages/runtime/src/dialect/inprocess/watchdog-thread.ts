/** Places in the memory that the watchdog shares with the hooks. */
export const CELLS = {
  /** Counts the hooks that were entered; 0 while none is running its own code. */
  entered: 0,
  /** The number of the hook that was entered last. */
  hook: 1,
  /** What `entered` was for a hook that took too long. */
  overdue: 2,
  /** Since when, in ms of the system's monotonic clock, cut to 31 bits. */
  since: 3,
  /** Never written; the thread waits on it. */
  rest: 4,
} as const;

/**
 * The watchdog's thread: plain JavaScript, so that it needs no file and no loader. It looks at the shared cells ten times
 * a second, marks a hook that is overdue, and says on stderr who it is if it goes on: while a hook computes, nothing else
 * in the process can.
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
for (;;) {
  Atomics.wait(cells, ${CELLS.rest}, 0, lookMs);
  for (let got = receiveMessageOnPort(parentPort); got !== undefined; got = receiveMessageOnPort(parentPort))
    names.set(got.message[0], got.message[1]);
  const entered = Atomics.load(cells, ${CELLS.entered});
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
  const text = name + " has kept this process busy for " + Math.round(ms / 1000) + " s; nothing else can happen until it returns (kill " + process.pid + " ends it)\\n";
  try {
    writeSync(2, text);
  } catch {}
}
`;
