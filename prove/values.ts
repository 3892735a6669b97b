import { dialects } from "@hookline/runtime/dialects";
import { type CatalogRow, catalog, type Dialect, type Lane, type LaneRow } from "@hookline/runtime/engine";
import type { Case } from "../conformance/case.ts";
import { fromData } from "../conformance/data.ts";
import { readCases } from "../conformance/requirement.ts";
import { poolOf } from "./cells/pool.ts";
import type { Claim } from "./claim.ts";
import { type Experiment, findingOf } from "./stage/experiment.ts";
import { answersOf } from "./values/answers.ts";
import { type Seat, Sitting } from "./values/sitting.ts";

/** A quick run tests one of this many answers of a field. */
const QUICK_STEP = 7;

/** Returns the rows of a dialect, each with a moment at which its hooks are asked, and the fields of their answers. */
function seatsOf(dialect: Dialect, cases: readonly Case[]): Seat[] {
  return dialect.lanes.flatMap((lane) =>
    lane.rows.flatMap((row) => {
      const own = cases.filter((one) => one.hooks.some((hook) => isOf(one, hook, lane, row)));
      const told = own.flatMap(({ hooks }) => hooks.flatMap(({ answer, answers = [] }) => [answer, ...answers]));
      const given = told.map(fromData).filter(isFields);
      const pool = poolOf({ lane, row, host: catalog.get(row.of) as CatalogRow }, own);
      const names = [...new Set([...pool.fields, ...given.flatMap(Object.keys)])];
      // A hook whose filter does not match is not asked, so the moment must come from a case in which a hook is asked.
      const moments = own.filter((one) => one.event === row.of && (one.expect.asked ?? [0]).length > 0);
      return moments.slice(0, 1).map((moment) => ({ dialect, lane, row, moment, names, base: given[0] ?? {} }));
    }),
  );
}

function isOf(one: Case, hook: Case["hooks"][number], lane: Lane, row: LaneRow): boolean {
  return (hook.lane ?? one.dialect) === lane.id && hook.event === row.name;
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const answers = (dialect: Dialect): Experiment => ({
  id: `R22, awkward values for ${dialect.id}`,
  async run(tally, { full }) {
    const seats = seatsOf(dialect, readCases(dialect.id));
    let nth = 0;
    for (const seat of seats) {
      await using sitting = await Sitting.open(seat);
      for (const answer of answersOf(seat))
        if (full || nth++ % QUICK_STEP === 0) tally.trial(await sitting.problemWith(answer));
      await sitting.rest();
    }
    tally.figure(`${seats.length} rows, ${seats.reduce((sum, { names }) => sum + names.length, 0)} fields`);
  },
});

/** The claim, about every field that an answer of a row may have, according to the rows and their cases. */
export const claim: Claim = {
  name: "values",
  says: "whatever a hook puts into its answer, the run continues, and refusals name hook, event, field and type",
  run: (size) => findingOf(dialects.map(answers), size),
};
