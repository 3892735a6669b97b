import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { place as where } from "@hookline/ground";
import type { Diagnostic } from "@hookline/runtime";
import type { LoadReport, ReportedSource } from "@hookline/runtime/session";
import type { Place } from "../start/place.ts";
import { broken, type Check, fine, listed } from "./check.ts";
import type { StatsLine } from "./stats.ts";

/** A hook is reported as slow if the 95th percentile of its times is at least this, in ms. */
const SLOW_MS = 1000;

/** Checks for hooks that were found but do not run, that run twice, and that are slow. */
export function hookChecks(
  report: LoadReport,
  stats: readonly StatsLine[],
  place: Pick<Place, "hooklineHome">,
): Check[] {
  return [...stateChecks(report, place), twiceCheck(report), slowCheck(stats)];
}

/**
 * Whether a hook is meant for another program, so that it may do nothing here. True if it is in the person's settings
 * of that program, and needs a tool that this agent lacks or a program that is missing.
 */
export function isForeign(
  { tier, path, reach, absent }: ReportedSource,
  { hooklineHome }: Pick<Place, "hooklineHome">,
) {
  return (reach === "none" || absent !== undefined) && tier === "user" && !path.startsWith(`${hooklineHome}/`);
}

function stateChecks({ sources: all, diagnostics, summary }: LoadReport, place: Pick<Place, "hooklineHome">): Check[] {
  const foreign = all.filter((source) => source.state !== "runs" && isForeign(source, place)).map(where);
  const sources = all.filter((source) => source.state === "runs" || !isForeign(source, place));
  const of = (...states: readonly string[]): string[] =>
    sources.filter(({ state }) => states.includes(state)).map(where);
  const bad = of("broken");
  const ofBroken = new Set(sources.filter(({ state }) => state === "broken").map(({ path }) => path));
  const errors = diagnostics
    .filter((one) => isError(one) && !ofBroken.has(one.source?.path ?? ""))
    .map(({ message }) => message);
  const problems = [
    ...(bad.length > 0 ? [`broken: ${listed(bad)}`] : []),
    ...(errors.length > 0 ? [listed(errors)] : []),
  ];
  const unheard = of("unreachable", "unsupported", "shadowed");
  const waiting = of("untrusted");
  const running = sources.filter(({ state }) => state === "runs");
  const open = running.flatMap(({ uncovered = [] }) => uncovered);
  const reads = running.flatMap((one) => one.reads ?? []);
  const more = "`hookline hooks` says why.";
  return [
    problems.length > 0
      ? broken("hooks", problems.join("; "), `Correct them; ${more}`)
      : fine("hooks", `${summary.found} found, ${summary.runs} run`),
    ...(unheard.length > 0 ? [broken("unheard hooks", `found, but can never run: ${listed(unheard)}`, more)] : []),
    ...(foreign.length > 0 ? [fine("idle hooks", `do nothing here: ${listed(foreign)}`, more)] : []),
    ...(waiting.length > 0
      ? [fine("consent", `not approved: ${listed(waiting)}`, "Review them with `hookline trust approve`.")]
      : []),
    ...(open.length > 0 ? [fine("open", listed(open))] : []),
    ...(reads.length > 0 ? [fine("data", listed(reads))] : []),
  ];
}

function isError({ severity }: Diagnostic): boolean {
  return severity === "error";
}

/** Checks for modules and plugins that are loaded from two places, so that they run twice for each event. */
function twiceCheck({ sources }: LoadReport): Check {
  const places = new Map<string, Set<string>>();
  for (const { state, path } of sources) {
    const hash = state === "runs" ? hashOf(path) : undefined;
    if (hash !== undefined) places.set(hash, (places.get(hash) ?? new Set()).add(path));
  }
  const twice = [...places.values()].filter((paths) => paths.size > 1).map((paths) => [...paths].join(" and "));
  return twice.length === 0
    ? fine("duplicates", "no hook is loaded from two places")
    : broken("duplicates", `the same hook fires twice: ${listed(twice)}`, "Remove one of the two.");
}

function slowCheck(stats: readonly StatsLine[]): Check {
  const slow = stats
    .filter(({ p95Ms }) => p95Ms >= SLOW_MS)
    .map(({ source, event, p95Ms }) => `${source} on ${event} (p95 ${Math.round(p95Ms)} ms)`);
  return slow.length === 0
    ? fine("slow hooks", "none")
    : fine("slow hooks", listed(slow), "Every call waits for them; `hookline hooks stats` has the numbers.");
}

function hashOf(path: string): string | undefined {
  try {
    return createHash("sha256").update(readFileSync(path)).digest("hex");
  } catch {
    return undefined;
  }
}
