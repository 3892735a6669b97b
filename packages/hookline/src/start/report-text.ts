import { isSamePlace, place } from "@hookline/ground";
import { plain, type Standpoint, shortPath, shortPaths } from "@hookline/ground/system";
import { abouts } from "@hookline/integrations/abouts";
import type { Diagnostic } from "@hookline/runtime";
import { limitText } from "@hookline/runtime/engine";
import type { LoadReport, ReportedSource } from "@hookline/runtime/session";
import { IN_SHADOW } from "../hook/in-shadow.ts";
import { diagnosticLine } from "./lines.ts";

/** The largest number of events in the line of a hook. */
const MOST_EVENTS = 4;

interface ReportOptions {
  /** Lines to show between the hooks and the summary, such as notes about hooks of other agents. */
  readonly more?: readonly string[];
  /** Whether to show order, time limit, failure policy and hash of each hook, and the searched places. */
  readonly isVerbose?: boolean;
}

/**
 * Formats the load report, with paths relative to the working folder: one line for each hook. Remarks follow below a
 * hook that does not run or needs attention.
 */
export function reportText(report: LoadReport, at: Standpoint, { more = [], isVerbose = false }: ReportOptions = {}) {
  const { sources, searched, summary } = report;
  const { remarks, others } = remarksOf(report, isVerbose);
  const notes = [...new Set(others.map((one) => plain(diagnosticLine(one)))), ...more.map(plain)];
  const cells = sources.map((one) => [stateOf(one), one.lane, one.tier, shortPath(place(one), at)].map(plain));
  const widths = [0, 1, 2, 3].map((n) => Math.max(0, ...cells.map((row) => row[n]?.length ?? 0)));
  const indent = " ".repeat((widths[0] ?? 0) + 2);
  const lines = sources.flatMap((one, n) => {
    const head = (cells[n] ?? []).map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ");
    // If the file's next hook has the same remarks, they are shown only below that one.
    const [next, own] = [sources[n + 1], remarks.get(one) ?? []];
    const isRepeated = next?.path === one.path && own.join() === remarks.get(next)?.join();
    const below = [...(isRepeated ? [] : own), ...(isVerbose ? [factsOf(one)] : [])];
    return [`${head}  ${plain(whenOf(one, isVerbose))}`.trimEnd(), ...below.map((text) => indent + plain(text))];
  });
  const { found, runs, notRunning } = summary;
  const places = isVerbose ? searched.map((path) => `  ${plain(path)}`) : [];
  const sum =
    found > 0
      ? `${found} found, ${runs} run, ${notRunning} do not.${isVerbose ? "" : " --verbose shows limits and failure policies."}`
      : `No hooks were found in ${searched.length} places of ${Object.values(abouts)
          .map(({ label }) => label)
          .join(", ")}, in this folder and in ~${isVerbose ? "" : " (--verbose lists them)"}.`;
  const text = [
    ...lines,
    ...(notes.length > 0 && found > 0 ? [""] : []),
    ...notes,
    ...(found > 0 || notes.length > 0 ? [""] : []),
    sum,
    ...(found > 0
      ? []
      : ["To write a first one: `hookline hooks init`; with `claude` or another agent, one in its format."]),
    ...(places.length > 0 ? ["Searched:", ...places] : []),
    "",
  ].join("\n");
  return shortPaths(text, at);
}

/** Collects the remarks to show below each hook, and the diagnostics that are about no hook. */
function remarksOf({ sources, diagnostics }: LoadReport, isVerbose: boolean) {
  const remarks = new Map<ReportedSource, readonly string[]>();
  const told = new Set<Diagnostic>();
  for (const one of sources) {
    const about = diagnostics.filter(({ source }) => source !== undefined && isSamePlace(source, one));
    for (const diagnostic of about) told.add(diagnostic);
    const bare = (text: string): string =>
      text.replace(`${place(one)} is not run: `, "").replace(`${place(one)}: `, "");
    // A diagnostic with the same remedy is about the same problem, and its message says more than `reason`.
    const cause = about.find(({ hint }) => hint === one.remedy) ?? { message: one.reason };
    const reason = cause.message === undefined ? undefined : bare(cause.message);
    const why = stateOf(one) === "runs" || reason === undefined ? [] : [sentences(reason, one.remedy ?? "")];
    const lacks = one.lacks === undefined ? [] : [`lacks ${one.lacks.join(", ")}: code that uses one of them fails`];
    const shadow = one.shadowHooks === undefined ? [] : [`in shadow: ${one.shadowHooks.join(", ")}`];
    const notes = about
      .filter(({ message, hint }) => !isSaid(message, hint, one))
      .map(({ message, hint }) => sentences(bare(message), hint));
    const said = [
      ...why,
      ...(one.notes ?? []),
      ...(one.uncovered ?? []),
      ...(isVerbose ? (one.reads ?? []) : []),
      ...lacks,
      ...(one.shadow ? [IN_SHADOW] : []),
      ...shadow,
      ...notes,
    ];
    // Names the file instead of a hook's line, so that equal remarks about several hooks of a file can be shown once.
    remarks.set(one, [...new Set(said.map((text) => text.replaceAll(place(one), one.path)))]);
  }
  return { remarks, others: diagnostics.filter((one) => !told.has(one) && !isCause(one, sources)) };
}

/** Returns the state to show: "not known" if the hook matches only tools that may not exist in this agent. */
function stateOf({ state, reach }: ReportedSource): string {
  return state === "runs" && reach === "unknown" ? "not known" : state;
}

/** Whether the state of a hook already says what a diagnostic says. */
function isSaid(message: string, hint: string, { state, reason, remedy }: ReportedSource): boolean {
  return state !== "runs" && reason !== undefined && (message.includes(reason) || hint === remedy);
}

/** Whether a diagnostic repeats the reason why a hook does not run, which is shown below that hook. */
function isCause({ message, source }: Diagnostic, sources: readonly ReportedSource[]): boolean {
  return source !== undefined && place(source) !== "" && sources.some(({ reason }) => reason === message);
}

/** Joins a problem and its remedy, unless the problem already ends in the remedy. */
export function sentences(what: string, remedy: string): string {
  return remedy !== "" && what.endsWith(remedy) ? what : `${what}. ${remedy}`.replace(/\.\. /, ". ").trim();
}

/** Formats the events on which a hook is asked. */
function whenOf({ events, filter }: ReportedSource, isVerbose: boolean): string {
  const most = isVerbose ? events.length : MOST_EVENTS;
  const rest = events.length > most ? ` and ${events.length - most} more` : "";
  return `${events.slice(0, most).join(", ")}${rest}${filter === undefined ? "" : ` when ${filter}`}`;
}

function factsOf({ order, timeoutMs, onFailure, hash, reason, state }: ReportedSource): string {
  const facts = [
    order === undefined ? "" : `order ${order}`,
    timeoutMs === undefined ? "" : `limit ${limitText(timeoutMs)}`,
    onFailure === undefined ? "" : `on failure: ${onFailure}`,
    hash === undefined ? "" : `hash ${hash.slice(0, 12)}`,
    state === "runs" ? (reason ?? "") : "",
  ];
  return facts.filter((fact) => fact !== "").join("; ");
}
