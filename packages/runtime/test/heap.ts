import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const gc = runInNewContext("gc") as () => void;

/** Collects garbage until what only the event loop still held is gone too. */
export async function collect(rounds = 4): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await new Promise((resolve) => setImmediate(resolve));
    gc();
  }
}

/** Bytes that are in use on the heap once nothing is left to collect. */
async function heapAfterCollection(): Promise<number> {
  await collect();
  return process.memoryUsage().heapUsed;
}

/**
 * Bytes of the heap that a round of `work` keeps: the least that any of `rounds` rounds kept,
 * since a leak shows in each of them, and what the engine compiles or allocates for itself does not.
 */
export async function keptByRound(work: () => unknown, rounds = 4): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  let before = await heapAfterCollection();
  for (let round = 0; round < rounds; round++) {
    await work();
    const after = await heapAfterCollection();
    least = Math.min(least, after - before);
    before = after;
  }
  return least;
}
