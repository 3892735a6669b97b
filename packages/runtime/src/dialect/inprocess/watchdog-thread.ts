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
  /** Counts what the main thread does in between: while it stands still, so does everything else. */
  beat: 5,
  /** 1 when it has stood still for too long and no hook was entered: somebody computes behind an `await`. */
  stalled: 6,
  /** The number of the hook that was last begun to be waited for; 0 while none is. */
  awaited: 7,
  /** 1 while no handler runs: the main thread does not beat, and the watchdog's thread waits until this is 0. */
  asleep: 8,
  /** Counts the thread's looks. */
  looks: 9,
} as const;

/**
 * The watchdog's thread: plain JavaScript, so that it needs no file and no loader. While handlers run it looks at the
 * shared cells ten times a second, marks a hook that is overdue, and a main thread that stands still although no hook was
 * entered, and says on stderr who it is if it goes on: while a hook computes, nothing else in the process can.
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
  // Who has not looked for long, in a process that has done nothing, was stopped together with everybody else.
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
