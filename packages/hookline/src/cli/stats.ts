import { join } from "node:path";
import { type HookStats, readStats } from "@hookline/runtime/internal";
import { EXIT, type Io } from "../io/io.ts";
import { jsonText } from "../io/plain-json.ts";
import { ms, table } from "../io/table.ts";
import { hooklineHome } from "../session/directory.ts";
import type { Arguments } from "../start/args.ts";

/** One hook's line of `hooks stats`. */
export interface StatsLine extends Omit<HookStats, "recent"> {
  readonly avgMs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
}

/** `hookline hooks stats`: each hook's counters over the sessions of this machine, the slowest in sum first. */
export async function showStats(args: Arguments, io: Io): Promise<number> {
  const hooks = statsLines(hooklineHome(io.env));
  if (args.flags["json"] === true) io.out(jsonText({ hooks }));
  else if (hooks.length === 0) io.out("No hook has run yet in a session of this machine.\n");
  else io.out(table([HEAD, ...hooks.map(row)]));
  return EXIT.fine;
}

/** The counters of hookline's home, with what follows from them. */
export function statsLines(home: string): StatsLine[] {
  const all = readStats(join(home, "stats")).map(({ recent, ...stats }): StatsLine => {
    const sorted = [...recent].sort((a, b) => a - b);
    const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
    const avgMs = stats.runs === 0 ? 0 : Math.round((stats.totalMs / stats.runs) * 1000) / 1000;
    return { ...stats, avgMs, p50Ms: at(0.5), p95Ms: at(0.95) };
  });
  return all.sort((a, b) => b.totalMs - a.totalMs);
}

const HEAD =
  "hook,event,runs,ok,failed,timed out,failed open,skipped,blocked,edits,avg ms,p50,p95,total,last error".split(",");

function row(stats: StatsLine): string[] {
  const { source, event, runs, ok, failed, timedOut, failedOpen, skipped, blocked, edits } = stats;
  const counts = [runs, ok, failed, timedOut, failedOpen, skipped, blocked, edits].map((count) =>
    count === 0 ? "" : `${count}`,
  );
  const times = [stats.avgMs, stats.p50Ms, stats.p95Ms, stats.totalMs].map(ms);
  return [source, event, ...counts, ...times, stats.lastError ?? ""];
}
