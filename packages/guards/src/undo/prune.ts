import { rmSync } from "node:fs";
import { join } from "node:path";
import type { SettingsOf } from "../settings.ts";
import { type ByteText, bytesOf, pathOf, under } from "./bytes.ts";
import { namesIn, statsOf } from "./links.ts";
import { isFolder, type ObjectStore } from "./objects.ts";
import type { CheckpointRecord, Records } from "./records.ts";

/** The most checkpoints that a project keeps. */
export const MAX_CHECKPOINTS = 200;
/** Unneeded objects are removed only after this many dropped checkpoints, because that reads all trees. */
const DROPS_A_SWEEP = 50;
const DAY_MS = 24 * 60 * 60_000;

/**
 * Drops the oldest checkpoints over the limits and, from time to time, the objects that none needs. Returns how many
 * checkpoints were dropped.
 */
export function prune(
  records: Records,
  {
    store,
    settings,
    nowMs,
  }: { readonly store: ObjectStore; readonly settings: SettingsOf<"undo">; readonly nowMs: number },
): number {
  const state = records.state();
  state.bytes += store.written;
  store.written = 0;
  let numbers = records.numbers();
  let count = 0;
  const drop = (until: number): void => {
    for (const number of numbers.splice(0, until)) records.drop(number);
    count += until;
    state.dropped += until;
  };
  const isOld = (number: number): boolean => (records.read(number)?.atMs ?? 0) < nowMs - settings.keepDays * DAY_MS;
  const firstKept = numbers.findIndex((number, at) => at >= numbers.length - MAX_CHECKPOINTS && !isOld(number));
  drop(firstKept < 0 ? Math.max(0, numbers.length - 1) : firstKept);
  const sweep = (): void => {
    numbers = records.numbers();
    const kept = numbers.flatMap((number) => records.read(number) ?? []);
    state.bytes = removeObjects(records.folder, store, kept) + removeLinks(records.folder, state.alone, numbers);
    state.dropped = 0;
    state.generation += 1;
    records.writeMemories({});
    store.forget();
  };
  if (state.dropped >= DROPS_A_SWEEP || state.bytes > settings.maxBytes) sweep();
  while (state.bytes > settings.maxBytes && numbers.length > 1) {
    drop(Math.ceil((numbers.length - 1) / 10));
    sweep();
  }
  records.writeState(state);
  return count;
}

/** Removes the objects that undo itself stored and no checkpoint needs. Returns the size of the rest in bytes. */
function removeObjects(shadow: string, store: ObjectStore, kept: readonly CheckpointRecord[]): number {
  const needed = new Set<string>();
  const mark = (oid: string): void => {
    if (needed.has(oid)) return;
    needed.add(oid);
    for (const entry of store.tree(oid))
      if (isFolder(entry.mode)) mark(entry.oid);
      else needed.add(entry.oid);
  };
  for (const { roots } of kept) for (const { tree } of roots) mark(tree);
  let bytes = store.packs.sweep(needed);
  eachFile(bytesOf(join(shadow, "objects")), (path, size) => {
    const oid = path.split("/").slice(-2).join("");
    // The extension marks the temporary file of an interrupted write, which is removed too.
    if (!/^[0-9a-f]{40,64}(?:\.[0-9a-f]{12})?$/.test(oid)) return;
    if (needed.has(oid)) bytes += size;
    else rmSync(pathOf(path), { force: true });
  });
  return bytes;
}

/**
 * Removes linked git objects that the repository deleted before the oldest checkpoint was made. Returns the size in
 * bytes of those that it deleted later.
 */
function removeLinks(shadow: string, alone: Record<string, number>, numbers: readonly number[]): number {
  const [oldest = 0, newest = 0] = [numbers[0], numbers.at(-1)];
  let bytes = 0;
  const seen = new Set<string>();
  eachFile(bytesOf(join(shadow, "links")), (path, size, links) => {
    if (links > 1) return;
    const since = alone[path] ?? newest;
    if (since < oldest) rmSync(pathOf(path), { force: true });
    else {
      bytes += size;
      alone[path] = since;
      seen.add(path);
    }
  });
  for (const path of Object.keys(alone)) if (!seen.has(path)) delete alone[path];
  return bytes;
}

function eachFile(folder: ByteText, visit: (path: ByteText, size: number, links: number) => void): void {
  for (const name of namesIn(folder)) {
    const path = under(folder, name);
    const stats = statsOf(path);
    if (stats?.isDirectory() === true) eachFile(path, visit);
    else if (stats !== undefined) visit(path, stats.size, stats.nlink);
  }
}
