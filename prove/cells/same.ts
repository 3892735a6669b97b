import type { Cause, LaneRow } from "@hookline/runtime/engine";
import { toData } from "../../conformance/data.ts";
import { causes, isTold, type Spot } from "./flip.ts";
import { attempt, type Moment, type Pool } from "./pool.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The most answers from which runs of three are made: more would take minutes and show nothing new. */
const FEW = 12;

/** Whether every run of up to three answers has the same outcome with the wrong row. */
export function sameAnswers(wrong: LaneRow, { row }: Spot, pool: Pool): boolean {
  const right = rightly.get(pool) ?? trials(row, pool).map((trial) => ({ ...trial, outcome: outcomeOf(row, trial) }));
  rightly.set(pool, right);
  return right.every(({ outcome, ...trial }) => outcomeOf(wrong, trial) === outcome);
}

/** The outcomes with the right row, with which those of all its flips are compared. */
const rightly = new WeakMap<Pool, readonly (Trial & { readonly outcome: string })[]>();

interface Trial {
  readonly raws: readonly unknown[];
  readonly moment: Moment;
}

/** Returns every answer at every moment, and runs of the answers that have an effect at one moment of the row's own. */
function trials(row: LaneRow, { raws, moments }: Pool): Trial[] {
  const alone = raws.flatMap((raw) => moments.map((moment) => ({ raws: [raw], moment })));
  const moment = moments.find(({ payload, scene }) => row.when?.(payload, scene) ?? true);
  if (moment === undefined) return alone;
  const good = raws.filter((raw) => {
    const read = attempt(() => row.read(raw));
    return read?.ok && read.answer !== undefined && read.odd === undefined;
  });
  const several = [...runs(good, 2), ...runs(good.slice(0, FEW), 3)].filter(({ length }) => length > 1);
  return [...alone, ...several.map((run) => ({ raws: run, moment }))];
}

/**
 * Whether every failure has the same outcome with the wrong row, whatever the hook's definition says about failures.
 */
export function sameFailures(wrong: LaneRow, spot: Spot, pool: Pool): boolean {
  const { row } = spot;
  return causes(spot, pool).every((cause) =>
    HOOKS.every((hook) => {
      const [right, other] = [failedBy(row, cause, hook), failedBy(wrong, cause, hook)];
      // An open failure is reported as one, except in rows that only inform.
      if (!isTold(row) && (right === undefined) !== (other === undefined)) return false;
      return pool.moments.every((moment) => editOf(row, right, moment) === editOf(row, other, moment));
    }),
  );
}

/** Whether the fold settles in any run of up to two answers. */
export function everSettles({ row: { fold, read } }: Spot, { raws }: Pool): boolean {
  return runs(answers(read, raws), 2).some((run) =>
    fold.settled(run.reduce((state, answer) => fold.step(state, answer as never), fold.empty)),
  );
}

/** Whether every answer with this field ends the run. */
export function alwaysEnds(field: string, { row }: Spot, { raws }: Pool): boolean {
  if (row.schedule !== "series") return false;
  const having = answers(row.read, raws).filter((answer) => (answer as Fields)[field] !== undefined);
  const ends = (answer: unknown): boolean => row.fold.settled(row.fold.step(row.fold.empty, answer as never));
  return having.length > 0 && having.every(ends);
}

/** Whether the field holds nothing that could be changed in place, in the events of all cases. */
export function isPlain(field: string, { view }: LaneRow, { moments }: Pool): boolean {
  return moments.every(({ payload, scene }) => {
    const event = attempt(() => view.get(payload, scene)) as Fields | undefined;
    return typeof event?.[field] !== "object" || event[field] === null;
  });
}

/**
 * Returns everything that hooks and host see of a run: whether each answer was valid, what it feeds, which one ends it,
 * what is edited.
 */
function outcomeOf(row: LaneRow, { raws, moment }: Trial): string {
  const seen: unknown[] = [];
  let state = row.fold.empty;
  let answered = false;
  for (const raw of raws) {
    const read = attempt(() => row.read(raw));
    const answer = read?.ok ? read.answer : failedBy(row, "bad", HOOKS[0]);
    seen.push(read?.ok ?? "threw", read?.ok ? (read.odd?.length ?? 0) : 0);
    if (answer === undefined) continue;
    seen.push(...fedBy(row, answer));
    state = row.fold.step(state, answer as never);
    answered = true;
    if (row.schedule === "series" && row.fold.settled(state)) {
      seen.push("ends");
      break;
    }
  }
  return textOf([seen, answered ? putBack(row, state, moment) : undefined]);
}

/** Returns the part of an answer that later hooks see. */
function fedBy({ feeds }: LaneRow, answer: unknown): unknown[] {
  if (typeof answer !== "object" || answer === null) return [];
  return Object.entries(answer).filter(([name]) => (feeds[name] ?? "original") !== "original");
}

function putBack(row: LaneRow, state: unknown, { payload, scene }: Moment): unknown {
  try {
    return row.view.put(row.fold.result(state) as never, payload, scene);
  } catch {
    return "cannot be put";
  }
}

function editOf(row: LaneRow, answer: unknown, moment: Moment): string {
  return textOf(
    answer === undefined ? undefined : putBack(row, row.fold.step(row.fold.empty, answer as never), moment),
  );
}

const HOOKS = [
  { id: "hook", path: "/hook", onError: undefined },
  { id: "hook", path: "/hook", onError: "abort" },
] as const;

function failedBy(row: LaneRow, cause: Cause, hook: (typeof HOOKS)[number]): unknown {
  const error = cause === "threw" ? new Error("problem") : undefined;
  return attempt(() => row.failed({ cause, message: "problem", error }, hook));
}

function answers(read: LaneRow["read"], raws: readonly unknown[]): unknown[] {
  return raws.flatMap((raw) => {
    const result = attempt(() => read(raw));
    return result?.ok && result.answer !== undefined ? [result.answer] : [];
  });
}

/** Returns every list of these items up to this length. */
function runs<T>(items: readonly T[], longest: number): T[][] {
  let last: T[][] = [[]];
  const all: T[][] = [];
  for (let length = 1; length <= longest; length++) {
    last = last.flatMap((run) => items.map((item) => [...run, item]));
    all.push(...last);
  }
  return all;
}

/** Formats a value without times of day: two answers may be a millisecond apart. */
function textOf(value: unknown): string {
  return JSON.stringify(toData(value), (key, part: unknown) => (key === "timestamp" ? "now" : part)) ?? "nothing";
}
