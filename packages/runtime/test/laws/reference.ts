import type { CatalogRow, Failure } from "../../src/catalog/row.ts";
import type { LaneRow } from "../../src/hook/lane.ts";
import type { Edit, Status } from "../../src/run/outcome.ts";
import type { Said } from "./script.ts";

type Fields = any;

/** A hook as the reference knows it: what it will do, and nothing of how long that takes. */
export interface ReferenceHook {
  readonly id: string;
  readonly path?: string;
  /** Does in place what it does, and gives what comes of asking. */
  act(event: any): Said;
}

export interface ReferenceStation {
  readonly lane: string;
  readonly isolate: boolean;
  readonly row: LaneRow;
  readonly hooks: readonly ReferenceHook[];
}

/** What a dispatch comes to. */
export interface Expected {
  readonly answer: Fields;
  readonly payload: Fields;
  readonly edits: readonly Edit[];
  readonly runs: readonly { readonly hook: string; readonly pass: 1 | 2; readonly status: Status }[];
  /** What each handler was shown, in the order of their start. */
  readonly shown: readonly { readonly hook: string; readonly pass: 1 | 2; readonly event: unknown }[];
}

const copy = <T>(value: T): T => structuredClone(value);
const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * What `dispatch` must give, written to be read: synchronous, copying everything everywhere, comparing as JSON.
 * Timing has no place in it, which is law 1.
 */
export function reference(row: CatalogRow, stations: readonly ReferenceStation[], first: Fields): Expected {
  const fold = row.fold as any;
  const edits: Edit[] = [];
  const runs: { hook: string; pass: 1 | 2; status: Status }[] = [];
  const shown: { hook: string; pass: 1 | 2; event: unknown }[] = [];
  const judged: { station: ReferenceStation; hook: ReferenceHook; saw: unknown }[] = [];
  let payload = copy(first);
  let state = fold.empty;
  let over = false;

  const apply = (edit: Fields): void => {
    state = fold.step(state, edit);
    for (const name of Object.keys(row.feeds))
      if (row.feeds[name] !== "original" && edit[name] !== undefined)
        payload = { ...payload, [name]: copy(edit[name]) };
    if (row.schedule === "series" && fold.settled(state)) over = true;
  };
  const refuse = (reason: string): void => {
    apply(row.guard?.refuse(reason) as Fields);
    over = true;
  };

  /** Asks one station's hooks; gives the edit that their answers come to. */
  function ask(station: ReferenceStation, pass: 1 | 2): Fields | undefined {
    const { row: cells, lane } = station;
    const fold = cells.fold as any;
    const isShared = (name: string): boolean => cells.feeds[name] === "shared";
    const drafted = (name: string): boolean => station.isolate && (cells.feeds[name] === "draft" || isShared(name));
    // Of rows that share: what was edited in place, beneath the answers.
    let under: Fields | undefined;
    let event = copy(cells.view.get(payload as never, scene)) as Fields;
    const drafts = copy(event);
    let state = fold.empty;
    let author = lane;
    const recorded: Edit[] = [];

    const feed = (by: string, answer: Fields, given: Fields): boolean => {
      if (by !== lane && !fold.settled(state)) author = by;
      const isUnder = by === lane && Object.keys(cells.feeds).some(isShared);
      if (isUnder) under = { ...under, ...copy(answer) };
      else state = fold.step(state, copy(answer));
      const before = event;
      let changed = false;
      for (const name of Object.keys(cells.feeds)) {
        if (answer[name] === undefined) continue;
        if (drafted(name) && !isShared(name) && given[name] !== undefined) drafts[name] = given[name];
        if (same(answer[name], before[name])) continue;
        changed = true;
        recorded.push({ hook: by, lane, field: name, from: copy(before[name]), to: copy(answer[name]), pass });
        edits.push(recorded.at(-1) as Edit);
        const isShown = isShared(name) ? isUnder : cells.feeds[name] !== "original";
        if (isShown) event = { ...event, [name]: copy(answer[name]) };
      }
      return changed;
    };
    const inPlace = (): Fields | undefined => {
      const names = Object.keys(event).filter((name) => drafted(name) && !same(drafts[name], event[name]));
      return names.length === 0 ? undefined : copy(Object.fromEntries(names.map((name) => [name, drafts[name]])));
    };

    for (const hook of station.hooks) {
      if (cells.schedule === "series" && fold.settled(state)) break;
      const handed = station.isolate ? copy(event) : event;
      for (const name of Object.keys(event)) if (drafted(name)) handed[name] = drafts[name];
      shown.push({ hook: hook.id, pass, event: copy(handed) });
      const saw = event;
      const said = hook.act(handed);
      if (said.timedOut) for (const name of Object.keys(drafts)) drafts[name] = copy(drafts[name]);

      let failure: Failure | undefined = said.failure;
      let given: Fields | undefined;
      if (failure === undefined) {
        const read = cells.read(said.raw) as any;
        if (read.ok) given = read.answer;
        else failure = { cause: "bad", message: read.problem };
      }
      if (failure !== undefined) {
        if (row.guard !== undefined && (failure.cause === "engine" || pass === 2)) {
          refuse(failure.message);
          runs.push({ hook: hook.id, pass, status: failure.cause === "timeout" ? "timed-out" : "failed" });
          return undefined;
        }
        given = cells.failed(failure, { id: hook.id, path: hook.path ?? "", onError: undefined }) as Fields | undefined;
      }
      const found = row.guard === undefined ? undefined : inPlace();
      const answer = found === undefined ? given : { ...found, ...given };
      const changed = answer !== undefined && feed(hook.id, answer, given ?? {});
      if (failure !== undefined)
        runs.push({ hook: hook.id, pass, status: failure.cause === "timeout" ? "timed-out" : "failed" });
      else if (answer !== undefined) runs.push({ hook: hook.id, pass, status: "answered" });
      if (failure === undefined && !changed && pass === 1) judged.push({ station, hook, saw });
    }
    const late = row.guard === undefined ? inPlace() : undefined;
    if (late !== undefined) feed(lane, late, {});
    const result = under === undefined ? fold.result(state) : { ...under, ...fold.result(state) };
    if (over || result === undefined || (state === fold.empty && under === undefined)) return undefined;
    const edit = cells.view.put(result as never, payload as never, scene) as Fields | undefined;
    const changed = Object.keys(pass === 1 ? (edit ?? {}) : {}).filter(
      (name) => row.feeds[name] !== undefined && !same(edit?.[name], payload[name]),
    );
    for (const name of unaccounted(recorded, changed, payload, edit, result))
      edits.push({ hook: author, lane, field: name, from: copy(payload[name]), to: copy(edit?.[name]), pass });
    return edit;
  }

  for (const station of stations) {
    if (over) break;
    if (station.row.when?.(payload as never, scene) === false) continue;
    const edit = ask(station, 1);
    if (edit !== undefined) apply(edit);
  }

  const { guard } = row;
  if (guard !== undefined && !over) {
    const again = judged.filter(({ station, saw }) => !same(station.row.view.get(payload as never, scene), saw));
    for (const { station, hook } of again) {
      if (over) break;
      const edit = ask({ ...station, hooks: [hook] }, 2);
      if (edit === undefined) continue;
      if (guard.refused(edit)) apply(edit);
      else if (edit[guard.judges] !== undefined && !same(edit[guard.judges], payload[guard.judges]))
        refuse("disagreed");
      else apply(Object.fromEntries(Object.entries(edit).filter(([name]) => name in guard.refuse(""))));
    }
  }
  return { answer: fold.result(state) ?? {}, payload, edits, runs, shown };
}

/**
 * The payload's changes for which no edit of the lane stands: none has its name, and none that is left, and that a later
 * answer has not taken back, has its values.
 */
function unaccounted(
  recorded: readonly Edit[],
  changed: readonly string[],
  from: Fields,
  to: Fields,
  result: Fields,
): string[] {
  const left = new Set(recorded.map(({ field }) => field).filter((field) => !changed.includes(field)));
  return changed.filter((name) => {
    if (recorded.some(({ field }) => field === name)) return false;
    for (const field of left) {
      const own = recorded.filter((edit) => edit.field === field);
      if (result[field] !== undefined && !same(result[field], own.at(-1)?.to)) continue;
      if (same(own[0]?.from, from[name]) && same(own.at(-1)?.to, to[name])) return !left.delete(field);
    }
    return true;
  });
}

/** A session without anything in it. */
export const scene = { sessionId: "s", cwd: "/" };
