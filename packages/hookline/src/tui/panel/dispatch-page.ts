import { plainLine } from "../select/line.ts";
import type { LoggedDispatch, LoggedRun } from "./activity-log.ts";
import type { PageLine } from "./page.ts";

const BAR_CELLS = 24;

/** The sign for each status of a hook, and the theme's colour for it. */
export const STATUS_SIGNS: Readonly<Record<string, readonly [sign: string, colour: string]>> = {
  answered: ["●", "accent"],
  "no-answer": ["○", "muted"],
  failed: ["✗", "error"],
  "timed-out": ["⧖", "error"],
  skipped: ["–", "dim"],
  "not-reached": ["·", "dim"],
};

/** Functions about hooks and paths that the page of a dispatch needs. */
export interface DispatchAbout {
  /** Whether the hook with this id runs in parallel with others of its lane and event. */
  isParallel(id: string): boolean;
  /** Shortens a path for display: relative to the working folder, or beginning with `~`. */
  path(source: string): string;
}

/** Shows a dispatch in full: who was asked and answered what, how long each took, who changed what, and the outcome. */
export function dispatchPage(dispatch: LoggedDispatch, about: DispatchAbout): PageLine[] {
  const { event, ms, runs, edits, outcome, diagnostics, t, verdict } = dispatch;
  const own = new Set(runs.flatMap((run) => (ownEvent(run) === event ? [] : [`${run.lane} ${ownEvent(run)}`])));
  const asked = own.size === 0 ? "" : ` (${plainLine([...own].join(", "))})`;
  const lines: PageLine[] = [
    {
      text: `${clock(t)}  ${event}${asked}  ${duration(ms)}${verdict === undefined ? "" : `  ${plainLine(verdict)}`}`,
      isBold: true,
      isProse: true,
    },
    { text: "" },
  ];
  const offsets = startsOf(runs, about);
  const end = Math.max(ms, ...runs.map((run, at) => (offsets[at] ?? 0) + run.ms), 0.001);
  for (const [at, run] of runs.entries()) {
    const [sign, colour] = STATUS_SIGNS[run.status] ?? ["?", "text"];
    const again = run.pass === 2 ? "  (asked again)" : run.shadow ? "  (in shadow: does not count)" : "";
    lines.push({
      text: `${bar(offsets[at] ?? 0, run.ms, end)} ${duration(run.ms).padStart(8)}  ${sign} ${plainLine(run.lane)}  ${plainLine(about.path(run.source))}${again}`,
      colour,
      hang: BAR_CELLS + 14,
    });
    if (run.status !== "answered" && run.status !== "no-answer") lines.push(detail(run.status, "dim"));
    if (run.answer !== undefined) lines.push(detail(`answered ${plainLine(run.answer)}`, "text"));
    if (run.problem !== undefined) lines.push(detail(plainLine(run.problem), "error"));
    for (const line of run.stderr?.trimEnd().split("\n").slice(0, 20) ?? [])
      lines.push(detail(`stderr: ${plainLine(line)}`, "dim"));
  }
  if (edits.length > 0) lines.push({ text: "" }, { text: "Changed", isBold: true });
  for (const { hook, field, from, to } of edits) {
    lines.push({ text: `  ${plainLine(field)}, by ${plainLine(about.path(hook))}`, hang: 4 });
    lines.push({ text: `  - ${plainLine(from)}`, colour: "toolDiffRemoved", hang: 4 });
    lines.push({ text: `  + ${plainLine(to)}`, colour: "toolDiffAdded", hang: 4 });
  }
  lines.push({ text: "" }, { text: `Outcome: ${plainLine(outcome)}`, hang: 9 });
  for (const { code, message } of diagnostics)
    lines.push({ text: `${plainLine(code)}: ${plainLine(message)}`, colour: "warning", hang: 2, isProse: true });
  return lines;
}

function detail(text: string, colour: string): PageLine {
  return { text: `${" ".repeat(BAR_CELLS + 14)}${text}`, colour, hang: BAR_CELLS + 14, isProse: true };
}

/** Returns the name that all asked hooks use for the event; hookline's name if they differ or none was asked. */
export function eventName({ event, runs }: Pick<LoggedDispatch, "event" | "runs">): string {
  const asked = runs.filter(({ status }) => status !== "skipped" && status !== "not-reached");
  const [name = event, ...others] = new Set(asked.map((run) => (run.id.includes("#") ? ownEvent(run) : event)));
  return others.length === 0 ? name : event;
}

/** Returns the name that the hook's dialect uses for the event, which is the end of the hook's id. */
function ownEvent({ id }: Pick<LoggedRun, "id">): string {
  return id.replace(/^.*#/s, "").replace(/\[\d+\]$/, "");
}

/**
 * Estimates when each run began, in ms from the dispatch's start: parallel runs of one lane and event begin together,
 * others one after the other.
 */
function startsOf(runs: readonly LoggedRun[], { isParallel }: DispatchAbout): readonly number[] {
  const starts: number[] = [];
  let now = 0;
  let together: { readonly lane: string; readonly from: number } | undefined;
  for (const { id, lane, pass, ms } of runs) {
    const kind = `${lane} ${pass} ${ownEvent({ id })}`;
    if (isParallel(id)) {
      if (together?.lane !== kind) together = { lane: kind, from: now };
      starts.push(together.from);
      now = Math.max(now, together.from + ms);
    } else {
      together = undefined;
      starts.push(now);
      now += ms;
    }
  }
  return starts;
}

function bar(start: number, length: number, end: number): string {
  const from = Math.min(BAR_CELLS - 1, Math.round((start / end) * BAR_CELLS));
  const size = Math.max(length > 0 ? 1 : 0, Math.min(BAR_CELLS - from, Math.round((length / end) * BAR_CELLS)));
  return `${" ".repeat(from)}${"▇".repeat(size)}`.padEnd(BAR_CELLS, " ");
}

/** Returns a time of day as text. */
export function clock(t: number): string {
  const date = new Date(t);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** Returns a time in ms as text for a person. */
export function duration(ms: number): string {
  if (ms >= 10_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms >= 10) return `${Math.round(ms)} ms`;
  return ms === 0 ? "0 ms" : `${ms < 0.01 ? "<0.01" : Number(ms.toFixed(2))} ms`;
}
