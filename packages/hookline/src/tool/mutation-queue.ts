import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

const tails = new Map<string, Promise<void>>();

/**
 * Runs changes of one file one after the other, in the order of the calls; changes of different files run side by side.
 * Two paths are one file when they lead to the same place through links. The queue is shared by the whole process.
 */
export async function withFileMutationQueue<T>(path: string, run: () => Promise<T>): Promise<T> {
  const key = placeOf(resolve(path));
  const before = tails.get(key) ?? Promise.resolve();
  const { promise: done, resolve: release } = Promise.withResolvers<void>();
  const tail = before.then(() => done);
  tails.set(key, tail);
  await before;
  try {
    return await run();
  } finally {
    release();
    if (tails.get(key) === tail) tails.delete(key);
  }
}

function placeOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    // Not there yet: the folder that will hold it may still be reached through a link.
    const parent = dirname(path);
    return parent === path ? path : join(placeOf(parent), basename(path));
  }
}
