import { type CatalogRow, catalog, type Lane, type LaneRow } from "../kit.ts";
import type { May } from "../policy/manifest.ts";
import { limited } from "../policy/may.ts";

/** The lane of remote hooks. */
export const FLEET_LANE = "fleet";

/** The lane of a fleet's hooks that run in the agent. */
export const LOCAL_LANE = "fleet-local";

/** The answer of a fleet's hooks to an event, with the effects that it may have. */
export class FleetAnswer {
  readonly answer: Readonly<Record<string, unknown>>;
  /** The effects that the answer may have. */
  readonly may: ReadonlySet<May>;
  /** For each changed field of the answer, the hook that changed it. */
  readonly writers: Readonly<Record<string, string>>;

  constructor(answer: FleetAnswer["answer"], may: FleetAnswer["may"], writers: FleetAnswer["writers"]) {
    this.answer = answer;
    this.may = may;
    this.writers = writers;
  }
}

/** Returns the events that a remote hook can be asked about: those whose answers have an effect. */
export function remoteRows(): readonly CatalogRow[] {
  return [...catalog.values()].filter(({ kind }) => kind !== "observe" && kind !== "shutdown");
}

/**
 * Makes the lane of remote hooks, which see the catalog's events as they are. If a hook with `onError: "abort"` fails,
 * an event that can be refused is refused.
 */
export function fleetLane(): Lane {
  return { id: FLEET_LANE, rows: remoteRows().map(rowOf), isolate: false, live: false };
}

/**
 * Makes the lane of local hooks, which is asked before all others. Its hooks may also listen to events whose answers
 * have no effect.
 */
export function localLane(): Lane {
  return { id: LOCAL_LANE, rows: [...catalog.values()].map(rowOf), isolate: false, live: false };
}

function rowOf(row: CatalogRow): LaneRow {
  const refuse = row.guard?.refuse ?? row.standIn?.refuse;
  return {
    ...row,
    of: row.name,
    view: { get: (payload) => payload, put: (outcome) => outcome },
    schedule: "all",
    read: readOf(row),
    failed: (failure, hook) =>
      hook.onError === "abort" && refuse !== undefined ? (refuse(failure.message) as never) : undefined,
  };
}

/** Reads an answer; fields that the manifest does not allow are dropped and reported. */
function readOf(row: CatalogRow): LaneRow["read"] {
  const read = (raw: unknown): ReturnType<LaneRow["read"]> => {
    if (raw === undefined) return { ok: true, answer: undefined };
    if (!(raw instanceof FleetAnswer)) return { ok: false, problem: "it is not an answer from a worker" };
    const { answer, dropped } = limited(row.name, raw.answer, raw.may);
    const odd = dropped.map((field) => ({ field, problem: "the fleet's manifest does not list it under `may`" }));
    const said = Object.keys(answer).length === 0 ? undefined : (answer as never);
    return { ok: true, answer: said, isPrivate: true, by: raw.writers, ...(odd.length > 0 && { odd }) };
  };
  return Object.defineProperty(read, "name", { value: "strict" }) as LaneRow["read"];
}
