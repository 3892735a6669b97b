import type { Fields } from "@hookline/ground";
import { messageOf } from "@hookline/ground";
import type { Failure, GuardRule } from "../catalog/row.ts";
import type { LaneRow, Scene } from "../hook/lane.ts";
import { equal } from "../lens/equal.ts";
import { assertJson } from "../lens/has-json.ts";
import type { Accept } from "./context.ts";

/**
 * Checks every changed call before another hook is asked about it. So what is judged is byte for byte what runs
 * (architecture, law 3). If the host cannot accept a change, the call is refused (ruling 62).
 */
export class Acceptance {
  readonly #guard: GuardRule;
  readonly #accept: Accept;
  readonly #scene: Scene;

  constructor(guard: GuardRule, accept: Accept, scene: Scene) {
    this.#guard = guard;
    this.#accept = accept;
    this.#scene = scene;
  }

  /**
   * Accepts the changed call in one hook's answer, which has the field names of its dialect. Returns the same object if
   * nothing needed correction; throws if the call cannot run.
   */
  answer(row: LaneRow, answer: Fields, payload: Fields): Fields {
    const names = Object.keys(row.feeds).filter((name) => answer[name] !== undefined);
    if (names.length === 0) return answer;
    assertWritten(Object.fromEntries(names.map((name) => [name, answer[name]])));
    const wanted = this.#wanted(row, answer, payload);
    if (wanted === undefined) return answer;
    const settled = this.#settled(wanted);
    if (settled === wanted) return answer;
    const shown = row.view.get({ ...payload, [this.#guard.judges]: settled } as never, this.#scene) as Fields;
    const put = Object.fromEntries(names.map((name) => [name, shown[name]]));
    return Object.assign(Object.create(Object.getPrototypeOf(answer) as object | null) as Fields, answer, put);
  }

  /** Returns the combined edit of a station with its changed call corrected; throws if the call cannot run. */
  edit(edit: Fields): Fields {
    const { judges, refused } = this.#guard;
    const wanted = edit[judges];
    if (wanted === undefined || refused(edit)) return edit;
    assertWritten({ [judges]: wanted });
    const settled = this.#settled(wanted);
    return settled === wanted ? edit : { ...edit, [judges]: settled };
  }

  /**
   * Returns the call as one answer alone would change it; `undefined` if the answer leaves the call alone or refuses
   * it.
   */
  #wanted({ fold, view }: LaneRow, answer: Fields, payload: Fields): unknown {
    const { judges, refused } = this.#guard;
    let edit: Fields | undefined;
    try {
      const result = fold.result(fold.step(fold.empty, answer as never));
      edit = view.put(result as never, payload as never, this.#scene) as Fields | undefined;
    } catch (thrown) {
      throw new Unacceptable(thrown);
    }
    return edit === undefined || refused(edit) ? undefined : edit[judges];
  }

  #settled(wanted: unknown): unknown {
    try {
      const settled = this.#accept(wanted as Fields);
      return settled === wanted || equal(settled, wanted) ? wanted : settled;
    } catch (thrown) {
      throw new Unacceptable(thrown);
    }
  }
}

/** Throws for a change that has no JSON: no hook could be asked about it, and no tool could take it. */
function assertWritten(changed: Fields): void {
  try {
    assertJson(changed);
  } catch (thrown) {
    throw new Unacceptable(thrown);
  }
}

/** Thrown for a changed call that cannot run. */
class Unacceptable extends Error {
  readonly failure: Failure;

  constructor(cause: unknown) {
    const message = messageOf(cause);
    super(message, { cause });
    this.failure = { cause: "bad", message, error: cause, rewrite: true };
  }
}

/** Returns whether an error means that a changed call cannot run. */
export function isUnacceptable(thrown: unknown): thrown is { readonly failure: Failure } {
  return thrown instanceof Unacceptable;
}
