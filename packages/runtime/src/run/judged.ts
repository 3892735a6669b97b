import type { Hook } from "../hook/hook.ts";
import type { Scene, Station } from "../hook/lane.ts";
import { equal } from "../lens/equal.ts";

/** A handler that edited nothing, and what it saw of the call; or one whose filter that call did not meet. */
interface Judgement {
  readonly station: Station;
  readonly hook: Hook;
  readonly saw: unknown;
}

/** Those who judged a call, for the question whether the final one is what they judged (architecture, law 3). */
export class Judged {
  readonly #judgements: Judgement[] = [];

  add(station: Station, hook: Hook, saw: unknown): void {
    this.#judgements.push({ station, hook, saw });
  }

  /** A station for each handler that saw another call than this one, to be asked alone. */
  again(payload: unknown, scene: Scene): Station[] {
    return this.#judgements.flatMap(({ station, hook, saw }) => {
      const { row } = station;
      if (row.when !== undefined && !row.when(payload as never, scene)) return [];
      return equal(row.view.get(payload as never, scene), saw) ? [] : [{ ...station, hooks: [hook] }];
    });
  }
}
