import { parse } from "node:path";
import { place as placeIn } from "@hookline/ground";
import { EXIT, type Io, jsonText, plain, shortPath, table } from "@hookline/ground/system";
import { type DeadGuard, dayOf, type Proof } from "@hookline/runtime/session";
import type { Arguments } from "../../start/args.ts";
import { type OpenedHooks, openHooks } from "../open-hooks.ts";
import { type StatsLine, statsLines } from "../stats.ts";
import { GUARDS, guardFile } from "./files.ts";

const DAYS = 7;
const DAY_MS = 86_400_000;

interface Listed {
  readonly name: string;
  readonly path: string;
  readonly state: "not added" | "in force" | "in shadow" | "does not run" | "does not work";
  /** Why the guard does not run or does not work. */
  readonly because?: string;
  /** How often the guard was asked in the last `DAYS` days, in all sessions of this machine. */
  readonly asked: number;
  readonly refused: number;
  /** How often a person had to be asked because of the guard. */
  readonly askedPerson: number;
  readonly edited: number;
  /** How often the guard, while it was in shadow, would have stopped something. */
  readonly wouldStop: number;
  readonly wouldEdit: number;
}

/**
 * `hookline guards`: lists the guards that come with hookline, and the person's and the project's own; whether they
 * work, and what they did.
 */
export async function listGuards(args: Arguments, io: Io): Promise<number> {
  const opened = await openHooks(args, io);
  try {
    const { place, session } = opened;
    const proof = await session.prove();
    const stats = statsLines(place.hooklineHome, { since: dayOf(Date.now() - (DAYS - 1) * DAY_MS) });
    const guards = [...GUARDS.map((name) => listed(name, opened, proof, stats)), ...listedOwn(opened, proof, stats)];
    if (args.flags["json"] === true) io.out(jsonText({ v: 1, days: DAYS, guards }));
    else {
      const withShadow = (count: number, would: number): string =>
        `${count}${would > 0 ? ` (${would} in shadow)` : ""}`;
      const rows = guards.map(({ name, state, asked, refused, wouldStop, askedPerson, edited, wouldEdit, path }) =>
        state === "not added"
          ? [name, state, "", "", "", "", `hookline guards add ${name}`]
          : [
              ...[name, state, `${asked}`, withShadow(refused, wouldStop), `${askedPerson}`],
              ...[withShadow(edited, wouldEdit), shortPath(path, place)],
            ],
      );
      const head = ["guard", "state", `asked in ${DAYS} days`, "refused", "asked you", "edited", "file"];
      io.out(table([head, ...rows]));
      for (const { name, because } of guards) if (because !== undefined) io.out(`${plain(name)}: ${plain(because)}\n`);
    }
    return guards.some(({ state }) => state.startsWith("does not")) ? EXIT.failed : EXIT.fine;
  } finally {
    await opened.close();
  }
}

function listed(name: string, { place, session }: OpenedHooks, proof: Proof, stats: readonly StatsLine[]): Listed {
  const { path, state } = guardFile(name, place);
  const counts = countsOf(stats.filter(({ source }) => source.replace(/:\d+$/, "") === path));
  if (state === "absent") {
    const isPart = name === "paths" && guardFile("commands", place).state !== "absent";
    return { name, path, state: "not added", ...(isPart && { because: "it is part of commands." }), ...counts };
  }
  const source = session.report.sources.find((one) => one.path === path);
  const dead = proof.dead.find((one) => one.source.path === path);
  return { name, path, ...stateOf(source, dead), ...counts };
}

/** Lists the guards in hookline's own format that do not come with hookline. */
function listedOwn({ place, session }: OpenedHooks, proof: Proof, stats: readonly StatsLine[]): Listed[] {
  const shipped = GUARDS.map((name) => guardFile(name, place).path);
  const files = session.report.sources.filter(({ api, path }) => api === "guard" && !shipped.includes(path));
  const hooks = session.hooks().map(({ hook }) => hook);
  return files.flatMap((file) => {
    const { path } = file;
    const own = hooks.filter(({ source, carries }) => carries !== undefined && source.path === path);
    if (own.length === 0) return [{ name: parse(path).name, path, ...stateOf(file, undefined), ...countsOf([]) }];
    return own.map(({ carries, source }) => {
      const at = placeIn(source);
      const dead = proof.dead.find((one) => placeIn(one.source) === at);
      const counts = countsOf(stats.filter((line) => line.source === at));
      return { name: carries?.name ?? at, path: at, ...stateOf(file, dead), ...counts };
    });
  });
}

function stateOf(
  source: OpenedHooks["session"]["report"]["sources"][number] | undefined,
  dead: DeadGuard | undefined,
): Pick<Listed, "state" | "because"> {
  if (source?.state !== "runs") return { state: "does not run", because: source?.reason ?? "no hooks are loaded here" };
  if (dead !== undefined) return { state: "does not work", because: `${dead.problem}.` };
  return { state: source.shadow === true ? "in shadow" : "in force" };
}

function countsOf(lines: readonly StatsLine[]) {
  const sum = (of: (line: StatsLine) => number): number => lines.reduce((all, line) => all + of(line), 0);
  return {
    asked: sum(({ runs, shadow }) => runs + (shadow?.asked ?? 0)),
    refused: sum(({ blocked }) => blocked),
    askedPerson: sum(({ asks }) => asks),
    edited: sum(({ edits }) => edits),
    wouldStop: sum(({ shadow }) => (shadow?.wouldDeny ?? 0) + (shadow?.wouldAsk ?? 0)),
    wouldEdit: sum(({ shadow }) => shadow?.wouldEdit ?? 0),
  };
}
