import type { Scene } from "@hookline/runtime";
import type { Case } from "../../conformance/case.ts";
import { fromData, toData } from "../../conformance/data.ts";
import { sceneOf } from "../../conformance/scene.ts";
import type { Spot } from "./flip.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A moment of the host, taken from a case. */
export interface Moment {
  readonly payload: never;
  readonly scene: Scene;
}

/** Facts about a row that the cases show. */
export interface Pool {
  /** Moments of the row's event, including those of other rows. */
  readonly moments: readonly Moment[];
  /** Raw answers: those of the cases, their single fields, and each with other values. */
  readonly raws: readonly unknown[];
  /** Names of fields of the answers. */
  readonly fields: ReadonlySet<string>;
  /** Names of fields of the events. */
  readonly shown: ReadonlySet<string>;
  /** Names of fields that are passed back to the host. */
  readonly edited: ReadonlySet<string>;
  /** Whether there is an answer that the row cannot read. */
  readonly unreadable: boolean;
  /** An answer that the host would notice if a failure that should be open were closed. */
  readonly closed: unknown;
}

/** Values of the wrong type. */
const ODD: readonly unknown[] = [7, "text", null, true, [1], { odd: 1 }];

/** Collects what the cases show about a row. */
export function poolOf({ lane, row, host }: Spot, own: readonly Case[]): Pool {
  const distinctly = new Map(own.map((one) => [JSON.stringify([one.event, one.payload, one.scene]), one]));
  const moments = [...distinctly.values()].flatMap((one): Moment[] =>
    one.event === row.of ? [{ payload: fromData(one.payload) as never, scene: sceneOf(one) }] : [],
  );
  const told = own.flatMap(({ hooks }) =>
    hooks.flatMap((hook) => (hook.event === row.name ? [hook.answer, ...(hook.answers ?? [])] : [])),
  );
  const given = distinct(told.map(fromData)).filter((raw) => raw !== undefined);
  const objects = given.filter(isFields);
  const single = objects.flatMap((raw) => Object.entries(raw).map(([name, value]) => ({ [name]: value })));
  const others = [...objects, ...single].flatMap((raw) => [
    ...variants(raw),
    ...Object.keys(raw).flatMap((name) => ODD.map((value) => ({ ...raw, [name]: value }))),
  ]);
  const fields = new Set([...objects.flatMap((raw) => readFields(row.read, raw)), ...inPlace(row, own)]);
  // A program's output is decoded before any row reads it, and refused if it is not an object.
  const raws = distinct([...given, ...single, ...others, ...(lane.isolate ? [...ODD, undefined] : [undefined, {}])]);
  const shown = new Set<string>();
  const edited = new Set<string>();
  let closed: unknown;
  // A row for the main agent only gets no events of sub-agents, so these cases show nothing about it.
  const agents = row.agents ?? host.agents;
  for (const { payload, scene } of moments) {
    if (agents === "main" && scene.agentId !== undefined) continue;
    const event = attempt(() => row.view.get(payload, scene));
    if (isFields(event)) for (const name of Object.keys(event)) if (event[name] !== undefined) shown.add(name);
    for (const raw of [...given, ...single]) {
      const read = attempt(() => row.read(raw));
      if (read === undefined || !read.ok || read.answer === undefined) continue;
      const { answer } = read;
      const edit = attempt(() =>
        row.view.put(row.fold.result(row.fold.step(row.fold.empty, answer)) as never, payload, scene),
      );
      if (!isFields(edit)) continue;
      for (const name of Object.keys(edit)) if (edit[name] !== undefined) edited.add(name);
      closed ??= answer;
    }
  }
  const unreadable = raws.some((raw) => attempt(() => row.read(raw))?.ok === false);
  return { moments, raws, fields, shown, edited, unreadable, closed };
}

/** Returns the fields that a case changes in place. */
function inPlace(row: Spot["row"], own: readonly Case[]): string[] {
  const hooks = own.flatMap(({ hooks }) => hooks.filter(({ event }) => event === row.name));
  const paths = hooks.flatMap(({ edit = {}, push = {} }) => [...Object.keys(edit), ...Object.keys(push)]);
  return paths.map((path) => path.split(".")[0] as string).filter((name) => row.feeds[name] === "draft");
}

/**
 * Returns fields that a row reads or folds but that none of its answers has; tries all names that occur in the cases.
 */
export function unanswered(row: Spot["row"], { fields }: Pool, cases: readonly Case[]): string[] {
  const folded = new Set([...row.fold.name.matchAll(/(\w+): /g)].map((match) => match[1] as string));
  const known = cases.flatMap(({ hooks }) => hooks.flatMap(({ answer, answers = [] }) => [answer, ...answers]));
  const names = new Set([...folded, ...known.filter(isFields).flatMap(Object.keys)]);
  const values = [...ODD, ...ODD.map((value) => [value])];
  const reads = (name: string): boolean =>
    values.some((value) => readFields(row.read, { [name]: value }).includes(name));
  return [...names].filter((name) => !fields.has(name) && (folded.has(name) || reads(name)));
}

function readFields(read: Spot["row"]["read"], raw: unknown): string[] {
  const result = attempt(() => read(raw));
  return result?.ok && isFields(result.answer) ? Object.keys(result.answer) : [];
}

/** Returns copies of an answer, each with another value in one of its fields. */
function variants(raw: Fields): Fields[] {
  return Object.entries(raw).map(([name, value]) => ({ ...raw, [name]: other(value) }));
}

function other(value: unknown): unknown {
  if (typeof value === "string") return `${value}, otherwise`;
  if (typeof value === "boolean") return !value;
  if (typeof value === "number") return value + 1;
  if (Array.isArray(value)) return [...value, ...value];
  return isFields(value) ? { ...value, other: true } : value;
}

function distinct(values: readonly unknown[]): unknown[] {
  const seen = new Map<string, unknown>();
  for (const value of values) {
    const key = JSON.stringify(toData(value)) ?? "nothing";
    if (!seen.has(key)) seen.set(key, value);
  }
  return [...seen.values()];
}

/** Returns a cell's result; `undefined` if it throws. */
export function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
