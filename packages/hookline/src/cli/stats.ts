import { join, resolve } from "node:path";
import { chooseFrom } from "@hookline/ground";
import { EXIT, type Io, jsonText, ms, plain, shortPath, table, wrongUse } from "@hookline/ground/system";
import { dayOf, type HookStats, readStats, resetStats, type StatsSpan } from "@hookline/runtime/session";
import { hooklineHome } from "../session/directory.ts";
import { type Arguments, textFlag } from "../start/args.ts";

/** One hook's line of `hooks stats`. */
export interface StatsLine extends Omit<HookStats, "recent"> {
  readonly avgMs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
}

/** `hookline hooks stats`: lists each hook's counters over this machine's sessions, the largest total time first. */
export async function showStats(args: Arguments, io: Io): Promise<number> {
  const home = hooklineHome(io.env);
  const span = { ...spanOf(args, io, Date.now()), ...(await hostOf(args)) };
  const json = args.flags["json"] === true;
  if (args.flags["reset"] === true) {
    if (span.since !== undefined || span.until !== undefined)
      throw wrongUse("--reset", "clears all days", "Leave out --since and --until.");
    const reset = resetStats(join(home, "stats"), span);
    const agent = span.host === undefined ? "" : ` for ${span.host}`;
    const where = `${span.project === undefined ? "on this machine" : `in ${span.project}`}${agent}`;
    if (json) io.out(jsonText({ v: 1, reset, ...span }));
    else io.out(`Cleared the counters of ${reset} ${reset === 1 ? "hook" : "hooks"} ${plain(where)}.\n`);
    return EXIT.fine;
  }
  const hooks = statsLines(home, span);
  if (json) io.out(jsonText({ hooks, ...span }));
  else if (hooks.length === 0 && Object.keys(span).length > 0) io.out("No hook run matches these options.\n");
  else if (hooks.length === 0) io.out("No hook has run yet in a session of this machine.\n");
  else {
    const at = { cwd: io.cwd, home: io.env["HOME"] ?? "" };
    const shown = hooks.map((one) => ({ ...one, source: shortPath(one.source, at) }));
    io.out(`${table([HEAD, ...shown.map(row)])}${shadowText(shown)}`);
  }
  return EXIT.fine;
}

const DAY_MS = 86_400_000;

/** Parses the flags that select sessions, such as `--since`. Throws for an invalid day. */
function spanOf(args: Arguments, io: Io, now: number): StatsSpan {
  const day = (name: "since" | "until"): string | undefined => {
    const text = textFlag(args, name);
    if (text === undefined) return undefined;
    const days = name === "since" ? /^([1-9]\d{0,4})d$/.exec(text)?.[1] : undefined;
    if (days !== undefined) return dayOf(now - (Number(days) - 1) * DAY_MS);
    if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text.slice(0, 10)))) return text.slice(0, 10);
    throw wrongUse(
      `--${name}`,
      `is not a date: ${text}`,
      "Give a date, as in 2026-03-31, or for --since days, as in 7d.",
    );
  };
  const [since, until] = [day("since"), day("until")];
  const cwd = resolve(io.cwd, textFlag(args, "cwd") ?? ".");
  return {
    ...(args.flags["project"] === true && { project: cwd }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  };
}

/** Parses `--host`, the agent whose sessions are counted. Throws for an unknown agent. */
async function hostOf(args: Arguments): Promise<Pick<StatsSpan, "host">> {
  const host = textFlag(args, "host");
  if (host === undefined) return {};
  const { ANSWERED } = await import("@hookline/integrations/hosts");
  const names = ["hookline", ...Object.keys(ANSWERED)];
  if (names.includes(host)) return { host };
  throw wrongUse("--host", `is not an agent that hookline knows: ${host}`, chooseFrom(host, names));
}

/** Reads the counters in hookline's home. Adds the average, median and 95th percentile of each hook's times. */
export function statsLines(home: string, span: StatsSpan = {}): StatsLine[] {
  const all = readStats(join(home, "stats"), span).map(({ recent, ...stats }): StatsLine => {
    const sorted = [...recent].sort((a, b) => a - b);
    const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
    const avgMs = stats.runs === 0 ? 0 : Math.round((stats.totalMs / stats.runs) * 1000) / 1000;
    return { ...stats, avgMs, p50Ms: at(0.5), p95Ms: at(0.95) };
  });
  return all.sort((a, b) => b.totalMs - a.totalMs);
}

/** Makes a separate table of the effects that hooks in shadow would have had. */
function shadowText(hooks: readonly StatsLine[]): string {
  const rows = hooks.flatMap(({ source, event, shadow }) => {
    if (shadow === undefined) return [];
    const { asked, wouldDeny, wouldAsk, wouldEdit, failed, dropped, effects = {} } = shadow;
    const counts = [asked, wouldDeny, wouldAsk, wouldEdit, failed, dropped].map((count) =>
      count === 0 ? "" : `${count}`,
    );
    const tried = Object.entries(effects).map(([kind, count]) => `${kind} ${count}`);
    return [[source, event, ...counts, tried.join(", ")]];
  });
  return rows.length === 0 ? "" : `\nIn shadow, where nothing counted:\n${table([SHADOW_HEAD, ...rows])}`;
}

const SHADOW_HEAD = "hook,event,asked,would deny,would ask,would edit,failed,dropped,tried besides".split(",");

const HEAD =
  "hook,event,runs,ok,failed,timed out,failed open,skipped,blocked,asks,edits,avg ms,p50,p95,total,last error".split(
    ",",
  );

function row(stats: StatsLine): string[] {
  const { source, event, runs, ok, failed, timedOut, failedOpen, skipped, blocked, asks, edits } = stats;
  const counts = [runs, ok, failed, timedOut, failedOpen, skipped, blocked, asks, edits].map((count) =>
    count === 0 ? "" : `${count}`,
  );
  const times = [stats.avgMs, stats.p50Ms, stats.p95Ms, stats.totalMs].map(ms);
  return [source, event, ...counts, ...times, stats.lastError ?? ""];
}
