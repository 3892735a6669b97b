import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EXIT, type Io, jsonText, plain } from "@hookline/ground/system";
import type { Judgement } from "@hookline/runtime/past";
import { replay } from "@hookline/runtime/replay";
import { type Arguments, textFlag } from "../../start/args.ts";
import { type Place, placeOf } from "../../start/place.ts";
import { countSessions, type FoundSources, findSources } from "../replay/find.ts";
import { withSides } from "../replay/sides.ts";
import { guardFile, guardText, namedGuards } from "./files.ts";

/** Equal past calls that a guard would have refused, asked a person about, or let pass with a note. */
interface Found {
  readonly verdict: "refused" | "asked" | "noted";
  /** The called command, or the tool and the file if there is no command. */
  readonly call: string;
  readonly reason: string;
  readonly count: number;
}

const MOST_SHOWN = 20;
const DAY_MS = 86_400_000;

/** `hookline guards try [NAME]`: what a guard would have answered to the calls in this folder's past sessions. */
export async function tryGuard(args: Arguments, io: Io): Promise<number> {
  const [name = "commands", more] = namedGuards(
    args.words.length === 0 ? { ...args, words: ["commands"] } : args,
    io,
    "try",
  ) ?? [""];
  if (name === "") return EXIT.usage;
  if (more !== undefined) {
    io.err("Try one guard at a time: `hookline guards try NAME`.\n");
    return EXIT.usage;
  }
  const place = await placeOf(args, io);
  const agents =
    textFlag(args, "agents") ??
    countSessions(place, io.env)
      .map(({ agent }) => agent)
      .join(",");
  const wanted = { ...args, words: [], flags: { ...args.flags, ...(agents !== "" && { agents }) } };
  const past = await findSources(wanted, io, place);
  try {
    tellSources(past, io);
    if (past.sources.length === 0) {
      io.err(
        `${past.none} Work in this folder for a while, or put the guard in shadow: \`hookline guards add ${name} --shadow\`.\n`,
      );
      return EXIT.failed;
    }
    return await tried(name, past, place, args, io);
  } finally {
    past.close();
  }
}

function tellSources({ sources, notes }: FoundSources, io: Io): void {
  const counts = new Map<string, number>();
  for (const { kind } of sources) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const kinds = [...counts].map(([kind, count]) => `${count} of ${kind}`).join(", ");
  const bytes = sources.reduce((sum, { path }) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0);
  if (sources.length > 0)
    io.err(
      `Reads ${counted(sources.length, "recording or session", "recordings and sessions")} of this folder (${kinds}; ${Math.ceil(bytes / 1000)} kB). Nothing is run or sent.\n`,
    );
  for (const note of notes) io.err(`${plain(note)}\n`);
}

async function tried(name: string, past: FoundSources, place: Place, args: Arguments, io: Io): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "hookline-guard-"));
  try {
    const own = guardFile(name, place);
    const path = own.state === "absent" ? join(folder, `${name}.ts`) : own.path;
    if (own.state === "absent") writeFileSync(path, guardText(name));
    const only = { ...args.lists, only: [path], with: [], without: [], observers: [] };
    const alone = { ...args, extensions: own.state === "absent" ? [`hookline:${path}`] : [], lists: only };
    return await withSides(alone, io, place, async (sides) => {
      const all: Judgement[] = [];
      const result = await replay({
        sources: past.sources,
        lanes: sides.runtime.lanes,
        candidate: sides.candidate,
        baseline: "none",
        cwd: sides.cwd,
        wanted: ({ event, t }) => event === "tool.before" && (t === 0 || t >= past.since),
        isObserver: sides.isObserver,
        services: sides.services,
        onJudged: (judgement: Judgement) => void all.push(judgement),
      });
      const [days, calls] = [daysOf(result.sources), result.asked];
      const found = grouped(all);
      if (args.flags["json"] === true) io.out(jsonText({ v: 1, guard: name, days, calls, found }));
      else io.out(summary(name, days, calls, found));
      return EXIT.fine;
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Returns how many days lie between the first and the last moment of the sources, at least 1. */
function daysOf(sources: readonly { readonly from: number; readonly to: number }[]): number {
  const times = sources.flatMap(({ from, to }) => [from, to]).filter((t) => t > 0);
  return Math.max(1, Math.ceil((Math.max(...times, 0) - Math.min(...times, Number.POSITIVE_INFINITY)) / DAY_MS));
}

function grouped(all: readonly Judgement[]): readonly Found[] {
  const found = new Map<string, Found>();
  for (const { moment, after } of all) {
    const notes = after.handed["remark"];
    const note = Array.isArray(notes) ? notes.join(" ") : typeof notes === "string" ? notes : undefined;
    const verdict = after.decision === "deny" ? "refused" : after.decision === "ask" ? "asked" : "noted";
    if (verdict === "noted" && note === undefined) continue;
    const call = callText(moment.payload);
    const key = `${verdict} ${call}`;
    const count = (found.get(key)?.count ?? 0) + 1;
    found.set(key, { verdict, call, reason: after.reason ?? note ?? "", count });
  }
  const order = ["refused", "asked", "noted"];
  return [...found.values()].sort((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict));
}

function callText(payload: unknown): string {
  const { tool = "", args = {} } = payload as {
    readonly tool?: string;
    readonly args?: Readonly<Record<string, unknown>>;
  };
  const { command, path } = args;
  return typeof command === "string" ? command : `${tool} ${typeof path === "string" ? path : ""}`.trim();
}

function summary(name: string, days: number, calls: number, found: readonly Found[]): string {
  const count = (verdict: Found["verdict"]): number =>
    found.filter((one) => one.verdict === verdict).reduce((sum, one) => sum + one.count, 0);
  const [refused, asked, noted] = [count("refused"), count("asked"), count("noted")];
  const head = `${name}, in ${counted(days, "day")} and ${counted(calls, "call")}: ${refused} refused, ${asked} asked, ${noted} passed with a note.`;
  const rows = found
    .slice(0, MOST_SHOWN)
    .flatMap(({ verdict, call, reason, count: times }) => [
      `${verdict}${times > 1 ? ` ${times} times` : ""}: ${plain(call)}`,
      `  ${plain(reason)}`,
    ]);
  const more = found.length > MOST_SHOWN ? [`… and ${found.length - MOST_SHOWN} more: \`--json\` has them all.`] : [];
  const limit = "Judged by what is in this folder now, not by what was in it then.";
  return `${[head, limit, ...(rows.length === 0 ? [] : ["", ...rows, ...more])].join("\n")}\n`;
}
