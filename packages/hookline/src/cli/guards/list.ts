import { EXIT, type Io, jsonText, plain, shortPath, table } from "@hookline/ground/system";
import type { Proof } from "@hookline/runtime";
import { dayOf } from "@hookline/runtime/session";
import type { Arguments } from "../../start/args.ts";
import { type OpenedHooks, openHooks } from "../open-hooks.ts";
import { type StatsLine, statsLines } from "../stats.ts";
import { GUARDS, guardFile } from "./files.ts";

const DAYS = 7;
const DAY_MS = 86_400_000;

/** One guard that comes with hookline, as `hookline guards` shows it. */
interface Listed {
  readonly name: string;
  readonly path: string;
  readonly state: "not added" | "in force" | "in shadow" | "does not run" | "does not work";
  /** Why it does not run or does not work. */
  readonly because?: string;
  /** Counts of the last days, of all sessions of this machine. */
  readonly asked: number;
  readonly refused: number;
  /** What it would have stopped in shadow. */
  readonly wouldStop: number;
}

/** `hookline guards`: which of the guards that come with hookline are added, whether they work, and what they did. */
export async function listGuards(args: Arguments, io: Io): Promise<number> {
  const opened = await openHooks(args, io);
  try {
    const { place, session } = opened;
    const proof = await session.prove();
    const stats = statsLines(place.hooklineHome, { since: dayOf(Date.now() - (DAYS - 1) * DAY_MS) });
    const guards = GUARDS.map((name) => listed(name, opened, proof, stats));
    if (args.flags["json"] === true) io.out(jsonText({ v: 1, days: DAYS, guards }));
    else {
      const rows = guards.map(({ name, state, asked, refused, wouldStop, path }) =>
        state === "not added"
          ? [name, state, "", "", `hookline guards add ${name}`]
          : [
              name,
              state,
              `${asked}`,
              `${refused}${wouldStop > 0 ? ` (${wouldStop} in shadow)` : ""}`,
              shortPath(path, place),
            ],
      );
      io.out(table([["guard", "state", `asked in ${DAYS} days`, "stopped", "file"], ...rows]));
      for (const { name, because } of guards) if (because !== undefined) io.out(`${name}: ${plain(because)}\n`);
    }
    return guards.some(({ state }) => state.startsWith("does not")) ? EXIT.failed : EXIT.fine;
  } finally {
    await opened.close();
  }
}

function listed(name: string, { place, session }: OpenedHooks, proof: Proof, stats: readonly StatsLine[]): Listed {
  const { path, state } = guardFile(name, place);
  const own = stats.filter(({ source }) => source.replace(/:\d+$/, "") === path);
  const sum = (of: (line: StatsLine) => number): number => own.reduce((all, line) => all + of(line), 0);
  const counts = {
    asked: sum(({ runs, shadow }) => runs + (shadow?.asked ?? 0)),
    refused: sum(({ blocked }) => blocked),
    wouldStop: sum(({ shadow }) => (shadow?.wouldDeny ?? 0) + (shadow?.wouldAsk ?? 0)),
  };
  if (state === "absent") {
    const isPart = name === "paths" && guardFile("commands", place).state !== "absent";
    return { name, path, state: "not added", ...(isPart && { because: "it is part of commands." }), ...counts };
  }
  const source = session.report.sources.find((one) => one.path === path);
  if (source?.state !== "runs")
    return { name, path, state: "does not run", because: source?.reason ?? "no hooks are loaded here", ...counts };
  const dead = proof.dead.find((one) => one.source.path === path);
  if (dead !== undefined) return { name, path, state: "does not work", because: `${dead.problem}.`, ...counts };
  return { name, path, state: source.shadow === true ? "in shadow" : "in force", ...counts };
}
