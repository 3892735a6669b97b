import type { CatalogRow } from "../catalog/row.ts";
import { last } from "../fold/last.ts";
import type { Hook } from "../hook/hook.ts";
import type { Lane, LaneRow, Plan } from "../hook/lane.ts";
import { sameView } from "./library.ts";

/**
 * Returns a plan that asks one lane's hooks about one of the lane's own events, without a host. Event and outcome have
 * the dialect's form.
 */
export function firePlan(lane: Lane, row: LaneRow, hooks: readonly Hook[]): Plan {
  const { when: _, ...cells } = row;
  const bare: CatalogRow = {
    ...cells,
    name: row.name,
    fires: "",
    agents: "all",
    schedule: "all",
    fold: last(),
    feeds: {},
    payload: () => {
      throw new Error("a dialect's event has no catalog schema");
    },
    answer: () => {
      throw new Error("a dialect's event has no catalog schema");
    },
  };
  return { row: bare, stations: [{ lane, row: { ...cells, view: sameView }, hooks }] };
}
