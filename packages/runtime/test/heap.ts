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
export async function heapAfterCollection(): Promise<number> {
  await collect();
  return process.memoryUsage().heapUsed;
}
