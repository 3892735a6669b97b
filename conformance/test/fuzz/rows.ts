import { type CatalogRow, catalog, type Dialect, type Lane, type LaneRow } from "@hookline/runtime/engine";
import { type GenericSchema, safeParse } from "valibot";
import type { Chance } from "../../../prove/stage/chance.ts";
import type { Case } from "../../case.ts";
import { fromData, toData } from "../../data.ts";
import { sceneOf } from "../../scene.ts";
import { mutated } from "./mutate.ts";
import type { Target } from "./target.ts";

/**
 * Returns a decoder for every row of a dialect: a mutated answer of a case must be read, folded and put back, or
 * refused with a message.
 */
export function rowTargets(dialect: Dialect, cases: readonly Case[]): Target[] {
  return dialect.lanes.flatMap((lane) =>
    lane.rows.flatMap((row) => {
      const own = cases.filter((one) => one.event === row.of && one.hooks.some((hook) => isOf(one, hook, lane, row)));
      const answers = own.flatMap(({ hooks }) => hooks.flatMap(({ answer, answers = [] }) => [answer, ...answers]));
      const raws = answers.filter((raw) => raw !== undefined);
      return own.length === 0 ? [] : [target(lane, row, own, raws.length === 0 ? [{}] : raws)];
    }),
  );
}

/**
 * Runs a cell, which may refuse by throwing; the loop treats that as the hook's failure. A bug in the cell is not the
 * hook's failure.
 */
function said<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (thrown) {
    const own = thrown instanceof TypeError || thrown instanceof RangeError || thrown instanceof ReferenceError;
    if (own || !(thrown instanceof Error) || thrown.message === "") throw thrown;
    return undefined;
  }
}

function isOf(one: Case, hook: Case["hooks"][number], lane: Lane, row: LaneRow): boolean {
  return (hook.lane ?? one.dialect) === lane.id && hook.event === row.name;
}

function target(lane: Lane, row: LaneRow, cases: readonly Case[], raws: readonly unknown[]): Target {
  const host = catalog.get(row.of) as CatalogRow;
  return {
    name: `${lane.id} ${row.name}`,
    try(chance: Chance) {
      const one = chance.of(cases);
      const payload = fromData(one.payload) as never;
      const before = JSON.stringify(toData(payload));
      const scene = sceneOf(one);
      let state = row.fold.empty as never;
      for (let left = 1 + chance.below(2); left > 0; left--) {
        // A program's output is a JSON object by the time that a row reads it.
        const raw = mutated(fromData(chance.of(raws)), chance, lane.isolate);
        if (!lane.isolate && (typeof raw !== "object" || raw === null || Array.isArray(raw))) continue;
        const read = said(() => row.read(raw));
        if (read === undefined) continue;
        if (!read.ok) {
          if (typeof read.problem !== "string" || read.problem === "") return "refuses without saying why";
        } else if (read.answer !== undefined) state = row.fold.step(state, read.answer as never) as never;
      }
      const result = state === row.fold.empty ? undefined : row.fold.result(state);
      const edit = result === undefined ? undefined : said(() => row.view.put(result as never, payload, scene));
      if (JSON.stringify(toData(payload)) !== before) return "changes the payload itself";
      if (edit === undefined) return undefined;
      const [issue] = safeParse(host.answer() as GenericSchema, edit).issues ?? [];
      return (
        issue &&
        `gives the host what it does not take: ${issue.path?.map(({ key }) => key).join(".")}: ${issue.message}`
      );
    },
  };
}
