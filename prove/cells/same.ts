import type { Cause, LaneRow } from "@hookline/runtime/internal";
import { toData } from "../../conformance/data.ts";
import { causes, isTold, type Spot } from "./flip.ts";
import { attempt, type Moment, type Pool } from "./pool.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Runs of three are made of so many answers at most: more would take minutes and show nothing else. */
const FEW = 12;

/** Whether every run of up to three answers comes to the same with the wrong row. */
export function sameAnswers(wrong: LaneRow, { row }: Spot, pool: Pool): boolean {
  const right = rightly.get(pool) ?? trials(row, pool).map((trial) => ({ ...trial, outcome: outcomeOf(row, trial) }));
  rightly.set(pool, right);
  return right.every(({ outcome, ...trial }) => outcomeOf(wrong, trial) === outcome);
}

/** What runs come to with the right row, which all flips of it are held to. */
const rightly = new WeakMap<Pool, readonly (Trial & { readonly outcome: string })[]>();

interface Trial {
  readonly raws: readonly unknown[];
  readonly moment: Moment;
}

/** Every answer at every moment; runs of those that count at one moment of the row's own. */
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

/** Whether every failure comes to the same with the wrong row, whatever the hook says of failures. */
export function sameFailures(wrong: LaneRow, spot: Spot, pool: Pool): boolean {
  const { row } = spot;
  return causes(spot, pool).every((cause) =>
    HOOKS.every((hook) => {
      const [right, other] = [failedBy(row, cause, hook), failedBy(wrong, cause, hook)];
      // An open failure is reported as one, but where nothing but telling was meant.
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

/** Whether the field holds nothing that could be changed in place, in every event that a case shows. */
export function isPlain(field: string, { view }: LaneRow, { moments }: Pool): boolean {
  return moments.every(({ payload, scene }) => {
    const event = attempt(() => view.get(payload, scene)) as Fields | undefined;
    return typeof event?.[field] !== "object" || event[field] === null;
  });
}

/** All that hooks and host see of a run: whether each answer was good, what it feeds, who ends it, what is edited. */
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

/** What of an answer those behind it are shown. */
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

/** Every list of these, up to so long. */
function runs<T>(items: readonly T[], longest: number): T[][] {
  let last: T[][] = [[]];
  const all: T[][] = [];
  for (let length = 1; length <= longest; length++) {
    last = last.flatMap((run) => items.map((item) => [...run, item]));
    all.push(...last);
  }
  return all;
}

/** As text, without times of day: two answers may be a millisecond apart. */
function textOf(value: unknown): string {
  return JSON.stringify(toData(value), (key, part: unknown) => (key === "timestamp" ? "now" : part)) ?? "nothing";
}
