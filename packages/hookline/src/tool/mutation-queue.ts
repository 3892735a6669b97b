import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

const tails = new Map<string, Promise<void>>();

/**
 * Runs changes of one file one after the other, in call order. Changes of different files run in parallel. Paths that
 * lead to the same file through links count as one file. The whole process shares the queue.
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
    // A file that does not exist has no real path yet, so its folder's real path is used.
    const parent = dirname(path);
    return parent === path ? path : join(placeOf(parent), basename(path));
  }
}
