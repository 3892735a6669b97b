import { auditorOf, readDecisions } from "../audit/auditor.ts";
import type { Collected, Collection } from "../audit/collect.ts";
import { type AuditedDecision, decisionOf, type Filters, lineOf, matches, otherVersion } from "../audit/decision.ts";
import { tailDecisions } from "../audit/tail.ts";
import { type Fault, leftOutText } from "../audit/verify.ts";
import { catalog, chooseFrom, cleanText, HooklineError, readRecording } from "../kit.ts";
import { nameProblem } from "../name/subjects.ts";
import type { Access } from "../place/joined.ts";
import { type FleetArgs, type FleetIo, FleetUsage, say } from "./io.ts";

/** By default `list` shows `LIMIT` decisions, and `tail` begins with `TAIL_LIMIT` older ones. */
const LIMIT = 100;
const TAIL_LIMIT = 10;
const DAY_MS = 24 * 60 * 60 * 1000;
const UNITS: Readonly<Record<string, number>> = { h: DAY_MS / 24, d: DAY_MS, w: 7 * DAY_MS };
const DECISIONS = ["allow", "ask", "deny"] as const;
const ACTIONS = ["list", "tail", "stats", "verify"] as const;

/** `fleet audit [list|tail|stats|verify]`: shows an auditor what the fleet's agents have decided. */
export async function auditFleet(args: FleetArgs, io: FleetIo): Promise<number> {
  const [action = "list"] = args.words;
  if (!ACTIONS.includes(action as never))
    throw new FleetUsage(`there is no \`fleet audit ${action}\`: choose ${ACTIONS.join(", ")}`);
  const filters = filtersOf(args);
  const limit = limitOf(args, action === "tail" ? { usual: TAIL_LIMIT, least: 0 } : { usual: LIMIT, least: 1 });
  const auditor = auditorOf(io.hooklineHome, io.env);
  if (action === "tail") return tailed(args, io, { auditor, filters, limit });
  const { fleet } = auditor;
  const collection = await readDecisions(auditor, { machine: filters.machine });
  try {
    const isUnknown = filters.machine !== undefined && collection.recordings.length + collection.faults.length === 0;
    if (isUnknown) tellNothing(filters, io);
    // `verify` must not succeed for a mistyped machine name, which finds nothing to check.
    if (action === "verify") return verified(args, io, { fleet, collection }) || (isUnknown ? 1 : 0);
    const found = await decisionsIn(collection.recordings, filters, io.err);
    tellCount(collection.faults, io);
    if (action === "stats") return counted(args, io, { fleet, found });
    const shown = found.slice(-limit);
    const rest = found.length - shown.length;
    say(args, io, { fleet, total: found.length, decisions: shown, faults: collection.faults.length }, [
      ...(found.length === 0 ? ["No decision matches."] : shown.map(lineOf)),
      ...(rest > 0 ? [`${rest} older ones are not shown: --limit ${found.length} shows all.`] : []),
    ]);
    return 0;
  } finally {
    collection.close();
  }
}

/** Shows the newest decisions, then each further one as it arrives, until the command is interrupted. */
async function tailed(
  args: FleetArgs,
  io: FleetIo,
  { auditor, filters, limit }: { readonly auditor: Access; readonly filters: Filters; readonly limit: number },
): Promise<number> {
  const end = new AbortController();
  void io.ended().then(() => end.abort());
  let hasBegun = false;
  const { machine } = filters;
  for await (const { decisions, faults, problems } of tailDecisions(auditor, { machine, signal: end.signal })) {
    const found = decisions.filter((one) => matches(one, filters));
    if (hasBegun) for (const fault of faults) io.err(`${faultLine(fault)}\n`);
    else {
      tellCount(faults, io);
      if (decisions.length + faults.length === 0) tellNothing(filters, io);
    }
    for (const problem of problems) io.err(`${cleanText(problem, { controls: "show" })}\n`);
    const shown = hasBegun
      ? found
      : found.sort((a, b) => a.t - b.t).slice(found.length - Math.min(limit, found.length));
    for (const one of shown) say(args, io, { fleet: auditor.fleet, ...one }, [lineOf(one)]);
    hasBegun = true;
  }
  return 0;
}

/** Tells the person that the log has nothing of the named machine. */
function tellNothing({ machine }: Filters, io: FleetIo): void {
  if (machine === undefined) return;
  io.err(
    `The fleet's log has no decision of the machine "${machine}". \`hookline fleet audit stats\` lists the machines that it has.\n`,
  );
}

function tellCount(faults: readonly Fault[], io: FleetIo): void {
  if (faults.length > 0) io.err(`${leftOutText(faults)}\n`);
}

function faultLine({ kind, subject, seq, message }: Fault): string {
  const { machine } = writerOf(subject);
  return cleanText(`${kind}: ${machine}, message ${seq}: ${message}`, { controls: "show" });
}

function writerOf(subject: string): { readonly machine: string; readonly writer: string } {
  const [machine = "", writer = ""] = subject.split(".").slice(-2);
  return { machine, writer };
}

function verified(
  args: FleetArgs,
  io: FleetIo,
  { fleet, collection }: { readonly fleet: string; readonly collection: Collection },
): number {
  const { recordings, batches } = collection;
  const expired = recordings.filter(({ isExpired }) => isExpired).length;
  const faults = collection.faults.map(({ kind, subject, seq, message }) => {
    return { kind, ...writerOf(subject), seq, message };
  });
  say(args, io, { fleet, batches, writers: recordings.length, expired, faults }, [
    `${batches} batches of ${recordings.length} sessions are signed by their machines.`,
    ...(expired === 0 ? [] : [`The first batches of ${expired} sessions were removed because of their age.`]),
    ...(faults.length === 0 ? ["None is missing, duplicated or forged."] : []),
    ...collection.faults.map(faultLine),
  ]);
  return faults.length === 0 ? 0 : 1;
}

/** Returns the matching decisions, oldest first. A recording in another version is reported and not read. */
async function decisionsIn(
  recordings: readonly Collected[],
  filters: Filters,
  tell: (line: string) => void,
): Promise<AuditedDecision[]> {
  const found: AuditedDecision[] = [];
  for (const recording of recordings) {
    try {
      for await (const one of decisionsOf(recording)) if (matches(one, filters)) found.push(one);
    } catch (thrown) {
      if (!HooklineError.isInstance(thrown) || thrown.code !== "RECORDING_VERSION") throw thrown;
      tell(`${otherVersion(recording)}\n`);
    }
  }
  return found.sort((a, b) => a.t - b.t);
}

async function* decisionsOf(recording: Collected): AsyncGenerator<AuditedDecision, void> {
  const reader = readRecording(recording.path);
  try {
    for await (const moment of reader.moments()) yield decisionOf(recording, moment);
  } finally {
    reader.close();
  }
}

function counted(
  args: FleetArgs,
  io: FleetIo,
  { fleet, found }: { readonly fleet: string; readonly found: readonly AuditedDecision[] },
): number {
  const count = (names: (one: AuditedDecision) => readonly string[]): Record<string, number> => {
    const counts = new Map<string, number>();
    for (const name of found.flatMap(names)) counts.set(name, (counts.get(name) ?? 0) + 1);
    return Object.fromEntries([...counts].sort(([, a], [, b]) => b - a));
  };
  const by = {
    decisions: count(({ decision = "allow" }) => [decision]),
    machines: count(({ machine }) => [machine]),
    events: count(({ event }) => [event]),
    hooks: count(({ hooks }) => hooks.map(({ id }) => id)),
  };
  say(args, io, { fleet, total: found.length, ...by }, [
    `${found.length} decisions`,
    ...Object.entries(by).flatMap(([title, counts]) => [
      `${title}:`,
      ...Object.entries(counts).map(([name, n]) => `  ${n}  ${name}`),
    ]),
  ]);
  return 0;
}

function filtersOf({ flags }: FleetArgs): Filters {
  const text = (name: string): string | undefined => {
    const value = flags[name];
    return typeof value === "string" ? value : undefined;
  };
  const machine = text("machine");
  const problem = machine === undefined ? undefined : nameProblem(machine);
  if (problem !== undefined) throw new FleetUsage(`--machine "${machine}" ${problem}`);
  const events = text("event")?.split(",") ?? [];
  const decision = text("decision");
  return {
    machine,
    session: text("session"),
    hook: text("by"),
    events: events.map((name) => known("event", name.trim(), [...catalog.keys()])),
    decision: decision === undefined ? undefined : known("decision", decision, DECISIONS),
    since: sinceOf(text("since")),
  };
}

/** Returns a filter's value if it is one of the known names; throws `FleetUsage` for any other. */
function known(flag: string, name: string, names: readonly string[]): string {
  if (names.includes(name)) return name;
  throw new FleetUsage(`--${flag} names "${name}", which does not exist. ${chooseFrom(name, names)}`);
}

function sinceOf(text: string | undefined): number {
  if (text === undefined) return 0;
  const [, number, unit = ""] = /^(\d+)([hdw])$/.exec(text) ?? [];
  const t = number === undefined ? Date.parse(text) : Date.now() - Number(number) * (UNITS[unit] as number);
  if (Number.isFinite(t)) return t;
  throw new FleetUsage(`--since is neither a span nor a date: ${text}; write 12h, 30d, 2w or 2026-11-01`);
}

function limitOf({ flags }: FleetArgs, { usual, least }: { readonly usual: number; readonly least: number }): number {
  const text = flags["limit"];
  if (text === undefined) return usual;
  const limit = typeof text === "string" && text !== "" ? Number(text) : Number.NaN;
  if (Number.isInteger(limit) && limit >= least) return limit;
  throw new FleetUsage(`--limit is not a number, ${least} or more: ${String(text)}`);
}
