import type { CatalogRow, Lane, LaneRow } from "@hookline/runtime/engine";
import type { Case } from "../conformance/case.ts";
import { toData } from "../conformance/data.ts";
import { attempt, type Moment, type Pool, poolOf } from "../prove/cells/pool.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * The parts of the host's event that a dialect's event leaves out, by name; both lists are empty if it leaves out
 * nothing.
 */
export interface Loss {
  /** Fields and parts of the payload that hooks of the event do not see. */
  readonly unseen: readonly string[];
  /** Fields of the host's answer that hooks of the event cannot set. */
  readonly ungiven: readonly string[];
}

/** Parts of messages and results that plain text cannot hold. */
const PARTS: readonly { readonly name: string; readonly type: string }[] = [
  { name: "images", type: "image" },
  { name: "thinking", type: "thinking" },
];

/**
 * Finds the losses by experiment: each field of each event in the cases is changed in turn; if no event of the lane
 * shows the change, hooks do not see the field. Fields that no answer in the cases passes to the host cannot be set.
 */
export function lossOf(host: CatalogRow, lane: Lane, rows: readonly LaneRow[], cases: readonly Case[]): Loss {
  const own = cases.filter(({ event }) => event === host.name);
  const pools = rows.map((row) => ({
    row,
    pool: poolOf(
      { lane, row, host },
      own.filter((one) => asks(one, lane, row)),
    ),
  }));
  const seen = (change: (payload: Fields) => readonly Fields[]): boolean | undefined => {
    let tried = false;
    for (const { row, pool } of pools) {
      for (const moment of pool.moments) {
        for (const payload of change(moment.payload)) {
          tried = true;
          if (shows(row, moment) !== shows(row, { ...moment, payload: payload as never })) return true;
        }
      }
    }
    return tried ? false : undefined;
  };
  const fields = Object.keys((host.payload() as { readonly entries?: object }).entries ?? {});
  const unseen = fields
    .filter((name) => seen((payload) => otherwise(payload, name)) === false)
    .map((name) => `\`${name}\``);
  const parts = PARTS.filter(({ type }) => seen((payload) => without(payload, type)) === false).map(({ name }) => name);
  const given = new Set(pools.flatMap(({ row, pool }) => [...pool.edited, ...inPlace(row, pool)]));
  const answers = Object.keys((host.answer() as { readonly entries?: object }).entries ?? {});
  const ungiven = answers.filter((name) => !given.has(name)).map((name) => `\`${name}\``);
  return { unseen: [...unseen, ...parts.filter((part) => !unseen.includes(`\`${part}\``))], ungiven };
}

/** Returns a row's event at a moment as text, or a note that there is none. */
function shows(row: LaneRow, { payload, scene }: Moment): string {
  if (row.when?.(payload, scene) === false) return "no such event";
  return JSON.stringify(toData(attempt(() => row.view.get(payload, scene)))) ?? "nothing";
}

/** Returns the fields that reach the host from in-place edits. */
function inPlace(row: LaneRow, { moments }: Pool): string[] {
  return moments.flatMap(({ payload, scene }) => {
    const event = attempt(() => row.view.get(payload, scene)) as Fields | undefined;
    return Object.entries(event ?? {}).flatMap(([name, value]) => {
      if (row.feeds[name] !== "draft") return [];
      return others(value).flatMap((other) =>
        Object.keys(attempt(() => row.view.put({ [name]: other } as never, payload, scene)) ?? {}),
      );
    });
  });
}

function asks(one: Case, lane: Lane, row: LaneRow): boolean {
  return one.hooks.some((hook) => (hook.lane ?? one.dialect) === lane.id && hook.event === row.name);
}

function otherwise(payload: Fields, name: string): Fields[] {
  return Object.hasOwn(payload, name) ? others(payload[name]).map((value) => ({ ...payload, [name]: value })) : [];
}

/**
 * Returns other values of the same type; for an object, one for each of its fields and one with an additional field.
 */
function others(value: unknown): unknown[] {
  if (typeof value === "string") return [`${value}, otherwise`];
  if (typeof value === "boolean") return [!value];
  if (typeof value === "number") return [value + 1];
  if (Array.isArray(value)) return [value.length > 0 ? value.slice(1) : [value]];
  if (typeof value !== "object" || value === null) return ["otherwise"];
  const fields = Object.entries(value).flatMap(([name, inner]) =>
    others(inner).map((other) => ({ ...value, [name]: other })),
  );
  return [...fields, { ...value, otherwise: "otherwise" }];
}

/** Returns the payload without its parts of a type; empty if it has none. */
function without(payload: Fields, type: string): Fields[] {
  let found = false;
  const strip = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      const kept = value.filter((item) => item?.type !== type);
      found ||= kept.length < value.length;
      return kept.map(strip);
    }
    if (typeof value !== "object" || value === null || value instanceof AbortSignal) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, strip(inner)]));
  };
  const stripped = strip(payload) as Fields;
  return found ? [stripped] : [];
}
