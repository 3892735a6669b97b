import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { exclusively } from "./exclusive.ts";
import { isAlive } from "./owner.ts";
import { readPrivate, writePrivate } from "./private-file.ts";

/** Counters of one hook over all sessions of this machine. Times in ms. */
export interface HookStats {
  readonly id: string;
  readonly dialect: string;
  readonly tier: string;
  /** `path:line`. */
  readonly source: string;
  readonly event: string;
  readonly runs: number;
  readonly ok: number;
  /** Those that timed out are among them. */
  readonly failed: number;
  readonly timedOut: number;
  /** Failures that let go on what the hook could have stopped or changed. */
  readonly failedOpen: number;
  readonly skipped: number;
  readonly blocked: number;
  readonly edits: number;
  readonly totalMs: number;
  /** The latest run times, at most 256. */
  readonly recent: readonly number[];
  readonly lastError?: string;
}

const COUNTERS = ["runs", "ok", "failed", "timedOut", "failedOpen", "skipped", "blocked", "edits", "totalMs"] as const;
const RECENT = 256;
const TOTAL = "total";
/** Files of ended processes beyond which they are put together. */
const MOST_FILES = 32;

interface StatsFile {
  readonly hooks: readonly HookStats[];
  /** Files whose counters are in this one. */
  readonly merged: readonly string[];
}

/**
 * Every hook's counters, by id. Each process writes a file of its own, so that none is ever lost to another's; the
 * files of ended processes are put together now and then.
 */
export function readStats(folder: string): HookStats[] {
  const files = names(folder).map((name) => [name, readFile(folder, name)] as const);
  // After the others: what is put together meanwhile is then in it, and known to be.
  const total = readFile(folder, TOTAL);
  const own = files.filter(([name]) => !total.merged.includes(name)).map(([, file]) => file);
  return sum([total, ...own].flatMap(({ hooks }) => hooks));
}

/** Writes the counters of one process, in place of those that it wrote before. `name` tells the process. */
export function writeStats(folder: string, name: string, hooks: readonly HookStats[]): void {
  write(folder, name, { hooks, merged: [] });
}

/** Puts the files of ended processes together when there are many. */
export function compactStats(folder: string): void {
  if (names(folder).length <= MOST_FILES) return;
  exclusively(join(folder, TOTAL), () => {
    const there = names(folder);
    const total = readFile(folder, TOTAL);
    const ended = there.filter((name) => !isAlive(name));
    const fresh = ended.filter((name) => !total.merged.includes(name));
    const hooks = sum([total, ...fresh.map((name) => readFile(folder, name))].flatMap((file) => file.hooks));
    write(folder, TOTAL, { hooks, merged: ended });
    for (const name of ended) rmSync(pathOf(folder, name), { force: true });
  });
}

/** Counters of the same hook added up; later ones are the later runs. */
export function sum(all: readonly HookStats[]): HookStats[] {
  const byId = new Map<string, HookStats>();
  for (const one of all) {
    const before = byId.get(one.id);
    byId.set(one.id, before === undefined ? one : added(before, one));
  }
  return [...byId.values()];
}

/** All counters in one number, which grows with each of them. */
export function counted(all: readonly HookStats[]): number {
  return all.reduce((count, one) => COUNTERS.reduce((sum, name) => sum + one[name], count), 0);
}

function added(a: HookStats, b: HookStats): HookStats {
  const counters = Object.fromEntries(COUNTERS.map((name) => [name, a[name] + b[name]])) as Pick<
    HookStats,
    (typeof COUNTERS)[number]
  >;
  return { ...a, ...b, ...counters, recent: [...a.recent, ...b.recent].slice(-RECENT) };
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .map((name) => name.slice(0, -".json".length))
      .filter((name) => name !== TOTAL)
      .sort();
  } catch {
    return [];
  }
}

function readFile(folder: string, name: string): StatsFile {
  const read = readPrivate(pathOf(folder, name));
  const nothing: StatsFile = { hooks: [], merged: [] };
  if (read.state !== "read") return nothing;
  try {
    const { version, hooks, merged } = JSON.parse(read.text) as { version?: unknown } & Partial<StatsFile>;
    if (version !== 1 || !Array.isArray(hooks)) return nothing;
    return { hooks: hooks.filter(isStats), merged: Array.isArray(merged) ? merged : [] };
  } catch {
    return nothing;
  }
}

function isStats(value: unknown): value is HookStats {
  const given = (value ?? {}) as Readonly<Record<string, unknown>>;
  return (
    ["id", "dialect", "tier", "source", "event"].every((name) => typeof given[name] === "string") &&
    COUNTERS.every((name) => Number.isFinite(given[name])) &&
    Array.isArray(given["recent"])
  );
}

function write(folder: string, name: string, file: StatsFile): void {
  writePrivate(pathOf(folder, name), `${JSON.stringify({ version: 1, ...file })}\n`);
}

function pathOf(folder: string, name: string): string {
  return join(folder, `${name}.json`);
}
