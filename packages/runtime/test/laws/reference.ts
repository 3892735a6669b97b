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

/** The result of a dispatch. */
export interface Expected {
  readonly answer: Fields;
  readonly payload: Fields;
  readonly edits: readonly Edit[];
  /** Whether a result was kept back, with a text in its place. */
  readonly isWithheld: boolean;
  readonly runs: readonly { readonly hook: string; readonly pass: 1 | 2; readonly status: Status }[];
  /** The events that the handlers saw, in the order of their start. */
  readonly shown: readonly { readonly hook: string; readonly pass: 1 | 2; readonly event: unknown }[];
}

const copy = <T>(value: T): T => structuredClone(value);
const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * Returns the result that `dispatch` must have. It is written for readability: synchronous, it copies everything
 * everywhere, and compares as JSON. Timing plays no role in it, which is law 1.
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
  let isWithheld = false;

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
    // Edits in place of fields that rows share; the answers are applied over them.
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
        const isHidden = cells.feeds[name] === "original" || (cells.feeds[name] === "agreed" && !isSecondRound);
        const isShown = isShared(name) ? isUnder : !isHidden;
        if (isShown) event = { ...event, [name]: copy(answer[name]) };
      }
      return changed;
    };
    const inPlace = (): Fields | undefined => {
      const names = Object.keys(event).filter((name) => drafted(name) && !same(drafts[name], event[name]));
      return names.length === 0 ? undefined : copy(Object.fromEntries(names.map((name) => [name, drafts[name]])));
    };

    const first = event;
    const heard: { hook: ReferenceHook; answer: Fields }[] = [];
    let round = station.hooks;
    let isSecondRound = false;
    const rounds = function* (): Generator<ReferenceHook> {
      yield* round;
      if (pass === 1 && agree()) yield* round;
    };

    /** Has those who changed a field differently asked again, one after the other, each about what was made so far. */
    function agree(): boolean {
      const names = Object.keys(cells.feeds).filter((name) => cells.feeds[name] === "agreed");
      if (over || names.length === 0 || state === fold.empty) return false;
      const edit = cells.view.put(fold.result(state) as never, payload as never, scene) as Fields | undefined;
      if (edit !== undefined && row.guard?.refused(edit)) return false;
      const changes = (name: string): Fields[] =>
        heard.map(({ answer }) => answer[name]).filter((value) => value !== undefined && !same(value, first[name]));
      const open = names.filter((name) => changes(name).some((value) => !same(value, changes(name)[0])));
      const editors = heard.filter(({ answer }) => open.some((name) => answer[name] !== undefined));
      if (editors.length === 0) return false;
      state = fold.empty;
      for (const one of heard) {
        const isKept = !editors.slice(1).includes(one);
        const answer = Object.entries(one.answer).filter(([name]) => isKept || !open.includes(name));
        state = fold.step(state, copy(Object.fromEntries(answer)));
      }
      for (const name of open) event = { ...event, [name]: copy(editors[0]?.answer[name]) };
      round = editors.slice(1).map(({ hook }) => hook);
      isSecondRound = true;
      return true;
    }

    for (const hook of rounds()) {
      if (cells.schedule === "series" && fold.settled(state)) break;
      const handed = station.isolate ? copy(event) : event;
      for (const name of Object.keys(event)) if (drafted(name)) handed[name] = drafts[name];
      const nth = isSecondRound ? 2 : pass;
      shown.push({ hook: hook.id, pass: nth, event: copy(handed) });
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
      const status = failure?.cause === "timeout" ? "timed-out" : "failed";
      // Hooks that were started together with one that refused are ignored from then on.
      if (over) {
        if (failure !== undefined) runs.push({ hook: hook.id, pass: nth, status });
        continue;
      }
      if (failure !== undefined) {
        if (row.guard === undefined && nth === 2) {
          apply(row.withhold?.(payload, "withheld") as Fields);
          over = isWithheld = true;
          runs.push({ hook: hook.id, pass: nth, status });
          return undefined;
        }
        if (row.guard !== undefined && (failure.cause === "engine" || nth === 2)) {
          refuse(failure.message);
          runs.push({ hook: hook.id, pass: nth, status });
          if (cells.schedule === "parallel" && !isSecondRound) continue;
          return undefined;
        }
        given = cells.failed(failure, { id: hook.id, path: hook.path ?? "", onError: undefined }) as Fields | undefined;
      }
      const found = row.guard === undefined ? undefined : inPlace();
      const whole = found === undefined ? given : { ...found, ...given };
      const before = isSecondRound ? heard.find((one) => one.hook === hook)?.answer : undefined;
      const news = Object.entries(whole ?? {}).filter(
        ([name, value]) => cells.feeds[name] === "agreed" || before === undefined || !same(value, before[name]),
      );
      const answer = whole === undefined ? undefined : (Object.fromEntries(news) as Fields);
      if (answer !== undefined && !isSecondRound) heard.push({ hook, answer });
      const changed = answer !== undefined && feed(hook.id, answer, given ?? {});
      if (failure !== undefined) runs.push({ hook: hook.id, pass: nth, status });
      else if (answer !== undefined) runs.push({ hook: hook.id, pass: nth, status: "answered" });
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
  return { answer: fold.result(state) ?? {}, payload, edits, isWithheld, runs, shown };
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
