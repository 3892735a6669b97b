import { HooklineError, readRecording } from "@hookline/runtime";
import { auditorOf, readDecisions } from "../audit/auditor.ts";
import type { Collected, Collection } from "../audit/collect.ts";
import { nameProblem } from "../name/subjects.ts";
import { type FleetArgs, type FleetIo, FleetUsage, say } from "./io.ts";

/** How many decisions are listed unless `--limit` says otherwise. */
const LIMIT = 100;
const DAY_MS = 24 * 60 * 60 * 1000;
const UNITS: Readonly<Record<string, number>> = { h: DAY_MS / 24, d: DAY_MS, w: 7 * DAY_MS };
const ACTIONS = ["list", "stats", "verify"] as const;

/** A decision as it is listed. */
interface Decision {
  readonly machine: string;
  readonly writer: string;
  readonly session: string;
  /** Epoch ms. */
  readonly t: number;
  readonly event: string;
  readonly tool?: string;
  readonly decision?: string;
  /** Hooks that answered or failed. */
  readonly hooks: readonly { readonly id: string; readonly status: string }[];
  /** The hash of the judged call. */
  readonly call?: string;
}

interface Filters {
  readonly machine: string | undefined;
  readonly session: string | undefined;
  readonly hook: string | undefined;
  readonly events: readonly string[];
  readonly decision: string | undefined;
  readonly since: number;
}

/** `fleet audit [list|stats|verify]`: what the fleet's agents have decided, for an auditor. */
export async function auditFleet(args: FleetArgs, io: FleetIo): Promise<number> {
  const [action = "list"] = args.words;
  if (!ACTIONS.includes(action as never))
    throw new FleetUsage(`there is no \`fleet audit ${action}\`: choose ${ACTIONS.join(", ")}`);
  const filters = filtersOf(args);
  const limit = limitOf(args);
  const auditor = auditorOf(io.hooklineHome, io.env);
  const { fleet } = auditor;
  const collection = await readDecisions(auditor, { machine: filters.machine });
  try {
    if (action === "verify") return verified(args, io, { fleet, collection });
    const found = await decisionsIn(collection.recordings, filters, io.err);
    if (collection.faults.length > 0)
      io.err(
        `${collection.faults.length} batches are missing or cannot be trusted, and are left out: \`hookline fleet audit verify\` lists them.\n`,
      );
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

function verified(
  args: FleetArgs,
  io: FleetIo,
  { fleet, collection }: { readonly fleet: string; readonly collection: Collection },
): number {
  const { recordings, batches } = collection;
  const expired = recordings.filter(({ isExpired }) => isExpired).length;
  const faults = collection.faults.map(({ kind, subject, seq, message }) => {
    const [machine = "", writer = ""] = subject.split(".").slice(-2);
    return { kind, machine, writer, seq, message };
  });
  say(args, io, { fleet, batches, writers: recordings.length, expired, faults }, [
    `${batches} batches of ${recordings.length} sessions are signed by their machines.`,
    ...(expired === 0 ? [] : [`The first batches of ${expired} sessions were removed because of their age.`]),
    ...(faults.length === 0 ? ["None is missing, doubled or forged."] : []),
    ...faults.map(({ kind, machine, seq, message }) => `${kind}: ${machine}, message ${seq}: ${message}`),
  ]);
  return faults.length === 0 ? 0 : 1;
}

/** The decisions that match, oldest first. A recording of another version is told, and read no further. */
async function decisionsIn(
  recordings: readonly Collected[],
  filters: Filters,
  tell: (line: string) => void,
): Promise<Decision[]> {
  const found: Decision[] = [];
  for (const recording of recordings) {
    try {
      for await (const one of decisionsOf(recording)) if (matches(one, filters)) found.push(one);
    } catch (thrown) {
      if (!HooklineError.isInstance(thrown) || thrown.code !== "RECORDING_VERSION") throw thrown;
      const { writer, machine } = recording;
      tell(`${writer} of ${machine} is of another version of the recording format, and not listed; update hookline.\n`);
    }
  }
  return found.sort((a, b) => a.t - b.t);
}

async function* decisionsOf({ machine, writer, path }: Collected): AsyncGenerator<Decision, void> {
  const reader = readRecording(path);
  try {
    for await (const { header, t, event, scene, payload, hooks, outcome, call } of reader.moments()) {
      const tool = (payload as { readonly tool?: unknown } | undefined)?.tool;
      const decision = (outcome as { readonly decision?: unknown }).decision;
      yield {
        machine,
        writer,
        session: scene.session ?? header?.session ?? "",
        t,
        event,
        ...(typeof tool === "string" && { tool }),
        ...(typeof decision === "string" && { decision }),
        hooks: hooks.filter(({ status }) => SAID.includes(status)).map(({ id, status }) => ({ id, status })),
        ...(call !== undefined && { call }),
      };
    }
  } finally {
    reader.close();
  }
}

const SAID: readonly string[] = ["answered", "failed", "timed-out"];

function matches(one: Decision, { session, hook, events, decision, since }: Filters): boolean {
  return (
    one.t >= since &&
    (session === undefined || one.session.startsWith(session)) &&
    (hook === undefined || one.hooks.some(({ id }) => id === hook)) &&
    (events.length === 0 || events.includes(one.event)) &&
    (decision === undefined || (one.decision ?? "allow") === decision)
  );
}

function counted(
  args: FleetArgs,
  io: FleetIo,
  { fleet, found }: { readonly fleet: string; readonly found: readonly Decision[] },
): number {
  const count = (names: (one: Decision) => readonly string[]): Record<string, number> => {
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

function lineOf({ t, machine, session, event, tool, decision = "allow", hooks }: Decision): string {
  const who = hooks.map(({ id, status }) => (status === "answered" ? id : `${id} (${status})`)).join(", ");
  const parts = [new Date(t).toISOString(), machine, session, event, tool, decision, who];
  return parts.filter((part) => part !== undefined && part !== "").join("  ");
}

function filtersOf({ flags }: FleetArgs): Filters {
  const text = (name: string): string | undefined => {
    const value = flags[name];
    return typeof value === "string" ? value : undefined;
  };
  const machine = text("machine");
  const problem = machine === undefined ? undefined : nameProblem(machine);
  if (problem !== undefined) throw new FleetUsage(`--machine "${machine}" ${problem}`);
  return {
    machine,
    session: text("session"),
    hook: text("by"),
    events:
      text("event")
        ?.split(",")
        .map((name) => name.trim()) ?? [],
    decision: text("decision"),
    since: sinceOf(text("since")),
  };
}

function sinceOf(text: string | undefined): number {
  if (text === undefined) return 0;
  const [, number, unit = ""] = /^(\d+)([hdw])$/.exec(text) ?? [];
  const t = number === undefined ? Date.parse(text) : Date.now() - Number(number) * (UNITS[unit] as number);
  if (Number.isFinite(t)) return t;
  throw new FleetUsage(`--since is neither a span nor a date: ${text}; write 12h, 30d, 2w or 2026-11-01`);
}

function limitOf({ flags }: FleetArgs): number {
  const text = flags["limit"];
  if (text === undefined) return LIMIT;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1) return limit;
  throw new FleetUsage(`--limit is no number from 1: ${String(text)}`);
}
