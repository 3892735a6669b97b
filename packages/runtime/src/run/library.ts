import type { CatalogRow } from "../catalog/row.ts";
import type { Lane, LaneRow } from "../hook/lane.ts";
import type { Lens } from "../lens/lens.ts";

/** The view that shows a payload unchanged. */
export const sameView: Lens<never, unknown, never, unknown> = {
  get: (payload) => payload,
  put: (outcome) => outcome,
};

/** Returns the lane of handlers that the embedding program registers itself: the catalog's own rows, unchanged. */
export function libraryLane(catalog: ReadonlyMap<string, CatalogRow>): Lane {
  const rows: LaneRow[] = [];
  for (const row of catalog.values()) rows.push({ ...row, of: row.name, view: sameView });
  return { id: "library", rows, isolate: true, live: false };
}
