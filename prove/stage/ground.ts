import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder that is removed at the end of the block. */
export interface Folder extends Disposable {
  readonly path: string;
}

export function folder(): Folder {
  const path = mkdtempSync(join(tmpdir(), "hookline-prove-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Tells whether a program can be started and succeeds. */
export function works(file: string, ...args: readonly string[]): boolean {
  return spawnSync(file, args, { stdio: "ignore" }).status === 0;
}

/** Does the work for every item in order, at most `width` at a time. */
export async function each<T>(items: readonly T[], width: number, work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < items.length) await work(items[next++] as T);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
}

/** The list repeated `times` times. */
export function repeat<T>(items: readonly T[], times: number): T[] {
  return Array.from({ length: times }, () => items).flat();
}
