import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { exclusively, isAlive, readPrivate, writePrivate } from "@hookline/ground/system";

/** The counters of one hook over all sessions on this machine. Times are in milliseconds. */
export interface HookStats {
  readonly id: string;
  readonly dialect: string;
  readonly tier: string;
  /** The place of the definition, as `path:line`. */
  readonly source: string;
  readonly event: string;
  /** The project folder and day (`YYYY-MM-DD`) of the counted sessions; absent in totals and in old versions' files. */
  readonly project?: string;
  readonly day?: string;
  /** The agent that asked through the bridge; absent for hookline itself, in totals, and in old versions' files. */
  readonly host?: string;
  readonly runs: number;
  readonly ok: number;
  /** The number of failures, including timeouts. */
  readonly failed: number;
  readonly timedOut: number;
  /** The number of failures that let something pass that the hook could have stopped or changed. */
  readonly failedOpen: number;
  readonly skipped: number;
  readonly blocked: number;
  /** How often a person had to be asked because of the hook. */
  readonly asks: number;
  readonly edits: number;
  readonly totalMs: number;
  /** The latest run times in milliseconds, at most 256. */
  readonly recent: readonly number[];
  readonly lastError?: string;
  /** Counts of the hook's answers in shadow; absent if it never was in shadow. */
  readonly shadow?: ShadowStats;
}

/** How often a hook in shadow was asked, and what it would have done. */
export interface ShadowStats extends Readonly<Record<(typeof SHADOW_COUNTERS)[number], number>> {
  /** Effects besides an answer that the hook attempted in shadow, by kind; none took place. Absent if none. */
  readonly effects?: Readonly<Record<string, number>>;
}

const SHADOW_COUNTERS = ["asked", "wouldDeny", "wouldAsk", "wouldEdit", "failed", "dropped"] as const;

const COUNTERS = [
  "runs",
  "ok",
  "failed",
  "timedOut",
  "failedOpen",
  "skipped",
  "blocked",
  "asks",
  "edits",
  "totalMs",
] as const;
const RECENT = 256;
/** The value of `host` for sessions in which hookline itself is the agent. */
const OWN_HOST = "hookline";
const TOTAL = "total";
/** The number of files left by ended processes above which these files are merged. */
const MOST_FILES = 32;

interface StatsFile {
  readonly hooks: readonly HookStats[];
  /** The names of files that were merged into this one. */
  readonly merged: readonly string[];
}

/** Selects counters by project, agent and days. */
export interface StatsSpan {
  /** Selects only sessions in this folder. */
  readonly project?: string | undefined;
  /** Selects only sessions of this agent; `hookline` selects hookline's own. */
  readonly host?: string | undefined;
  /** The first and the last day that count, as `YYYY-MM-DD`. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/**
 * Returns every hook's counters, by id. Each process writes its own file, so that none overwrites another's; the files
 * of ended processes are merged from time to time.
 */
export function readStats(folder: string, span: StatsSpan = {}): HookStats[] {
  const rows = allStats(folder).filter((row) => isWithin(row, span));
  return sum(rows.map(({ project: _, day: __, host: ___, ...counted }) => counted));
}

/** Returns the counters of hooks in other agents, by hook id and agent. */
export function readHostStats(folder: string): HookStats[] {
  const rows = allStats(folder).filter(({ host }) => host !== undefined);
  return sum(rows.map(({ project: _, day: __, ...counted }) => counted));
}

function isWithin({ project, host = OWN_HOST, day }: HookStats, span: StatsSpan): boolean {
  if (span.project !== undefined && project !== span.project) return false;
  if (span.host !== undefined && host !== span.host) return false;
  if (span.since !== undefined && (day === undefined || day < span.since)) return false;
  return span.until === undefined || (day !== undefined && day <= span.until);
}

/**
 * Clears all counters, or those of one project or agent; returns how many hooks had any. A running session also
 * restarts its counts when it finds its file gone.
 */
export function resetStats(folder: string, span: Pick<StatsSpan, "project" | "host"> = {}): number {
  const isMeant = (row: HookStats): boolean => isWithin(row, span);
  const meant = new Set(
    allStats(folder)
      .filter(isMeant)
      .map(({ id }) => id),
  );
  if (meant.size === 0) return 0;
  exclusively(join(folder, TOTAL), () => {
    const { there, ended, hooks } = endedStats(folder);
    write(folder, TOTAL, { hooks: sum(hooks.filter((row) => !isMeant(row))), merged: ended });
    const running = there.filter((name) => isAlive(name) && readFile(folder, name).hooks.some(isMeant));
    for (const name of [...ended, ...running]) rmSync(pathOf(folder, name), { force: true });
  });
  return meant.size;
}

/** Returns whether the file with a process's counters still exists. */
export function hasStats(folder: string, name: string): boolean {
  return existsSync(pathOf(folder, name));
}

function allStats(folder: string): HookStats[] {
  const files = names(folder).map((name) => [name, readFile(folder, name)] as const);
  // Reads the total last: a file that is merged meanwhile is then listed in it as merged, and not counted twice.
  const total = readFile(folder, TOTAL);
  const own = files.filter(([name]) => !total.merged.includes(name)).map(([, file]) => file);
  return sum([total, ...own].flatMap(({ hooks }) => hooks));
}

/** Writes the counters of one process, replacing those that it wrote before. `name` identifies the process. */
export function writeStats(folder: string, name: string, hooks: readonly HookStats[]): void {
  write(folder, name, { hooks, merged: [] });
}

/** Merges the files of ended processes if there are too many. */
export function compactStats(folder: string): void {
  if (names(folder).length <= MOST_FILES) return;
  exclusively(join(folder, TOTAL), () => {
    const { ended, hooks } = endedStats(folder);
    write(folder, TOTAL, { hooks: sum(hooks), merged: ended });
    for (const name of ended) rmSync(pathOf(folder, name), { force: true });
  });
}

/**
 * Returns the names of all files with counters, the names of those whose process has ended, and the counters of ended
 * processes.
 */
function endedStats(folder: string): { there: string[]; ended: string[]; hooks: HookStats[] } {
  const there = names(folder);
  const total = readFile(folder, TOTAL);
  const ended = there.filter((name) => !isAlive(name));
  const fresh = ended.filter((name) => !total.merged.includes(name));
  return { there, ended, hooks: [total, ...fresh.map((name) => readFile(folder, name))].flatMap((file) => file.hooks) };
}

/** Adds up the counters of each hook, project, day and agent. Of the run times, keeps the last ones in the list. */
export function sum(all: readonly HookStats[]): HookStats[] {
  const byKey = new Map<string, HookStats>();
  for (const one of all) {
    const key = JSON.stringify([one.id, one.project, one.day, one.host]);
    const before = byKey.get(key);
    byKey.set(key, before === undefined ? one : added(before, one));
  }
  return [...byKey.values()];
}

/** Returns how much a hook's counters have grown since earlier counters. */
export function since(now: HookStats, before: HookStats | undefined): HookStats {
  if (before === undefined) return now;
  const counters = Object.fromEntries(COUNTERS.map((name) => [name, now[name] - before[name]])) as Pick<
    HookStats,
    (typeof COUNTERS)[number]
  >;
  const shadow = now.shadow === undefined ? undefined : shadowSince(now.shadow, before.shadow);
  const recent = counters.runs === 0 ? [] : now.recent.slice(-counters.runs);
  return { ...now, ...counters, recent, ...(shadow !== undefined && { shadow }) };
}

function shadowSince(now: ShadowStats, before: ShadowStats | undefined): ShadowStats {
  if (before === undefined) return now;
  const counters = Object.fromEntries(SHADOW_COUNTERS.map((name) => [name, now[name] - before[name]])) as Record<
    (typeof SHADOW_COUNTERS)[number],
    number
  >;
  const effects = Object.entries(now.effects ?? {}).flatMap(([kind, count]) => {
    const left = count - (before.effects?.[kind] ?? 0);
    return left === 0 ? [] : [[kind, left] as const];
  });
  return { ...counters, ...(effects.length > 0 && { effects: Object.fromEntries(effects) }) };
}

/** Returns the sum of all counters, which changes whenever one of them does. */
export function counted(all: readonly HookStats[]): number {
  return all.reduce(
    (count, one) => COUNTERS.reduce((sum, name) => sum + one[name], count + (one.shadow?.dropped ?? 0)),
    0,
  );
}

function added(a: HookStats, b: HookStats): HookStats {
  const counters = Object.fromEntries(COUNTERS.map((name) => [name, a[name] + b[name]])) as Pick<
    HookStats,
    (typeof COUNTERS)[number]
  >;
  const shadow = addedShadow(a.shadow, b.shadow);
  const recent = [...a.recent, ...b.recent].slice(-RECENT);
  return { ...a, ...b, ...counters, recent, ...(shadow !== undefined && { shadow }) };
}

function addedShadow(a: ShadowStats | undefined, b: ShadowStats | undefined): ShadowStats | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const counters = Object.fromEntries(SHADOW_COUNTERS.map((name) => [name, a[name] + b[name]])) as Record<
    (typeof SHADOW_COUNTERS)[number],
    number
  >;
  const effects: Record<string, number> = { ...a.effects };
  for (const [kind, count] of Object.entries(b.effects ?? {})) effects[kind] = (effects[kind] ?? 0) + count;
  return { ...counters, ...(Object.keys(effects).length > 0 && { effects }) };
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
    // Files of earlier versions have no `asks`.
    const rows = hooks.map((row: object) => ({ asks: 0, ...row }));
    return { hooks: rows.filter(isStats), merged: Array.isArray(merged) ? merged : [] };
  } catch {
    return nothing;
  }
}

function isStats(value: unknown): value is HookStats {
  const given = (value ?? {}) as Readonly<Record<string, unknown>>;
  return (
    ["id", "dialect", "tier", "source", "event"].every((name) => typeof given[name] === "string") &&
    COUNTERS.every((name) => Number.isFinite(given[name])) &&
    ["project", "day", "host"].every((name) => given[name] === undefined || typeof given[name] === "string") &&
    (given["shadow"] === undefined || isShadow(given["shadow"])) &&
    Array.isArray(given["recent"])
  );
}

function isShadow(value: unknown): boolean {
  const given = (value ?? {}) as Readonly<Record<string, unknown>>;
  const effects = Object.values((given["effects"] ?? {}) as object);
  return [...SHADOW_COUNTERS.map((name) => given[name]), ...effects].every(Number.isFinite);
}

function write(folder: string, name: string, file: StatsFile): void {
  // A process's counters are written again every few seconds, but the total is all that remains of ended processes.
  const durability = name === TOTAL ? "durable" : "best-effort";
  writePrivate(pathOf(folder, name), `${JSON.stringify({ version: 1, ...file })}\n`, durability);
}

function pathOf(folder: string, name: string): string {
  return join(folder, `${name}.json`);
}
