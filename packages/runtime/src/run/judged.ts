import type { Hook } from "../hook/hook.ts";
import type { Scene, Station } from "../hook/lane.ts";
import { equal } from "../lens/equal.ts";

/** A handler that edited nothing and the call that it saw, or a handler whose filter did not match that call. */
interface Judgement {
  readonly station: Station;
  readonly hook: Hook;
  readonly saw: unknown;
}

/** Records who judged which call, to find out whether the final call is the one they judged (architecture, law 3). */
export class Judged {
  readonly #judgements: Judgement[] = [];

  add(station: Station, hook: Hook, saw: unknown): void {
    this.#judgements.push({ station, hook, saw });
  }

  /** A station for each handler that saw another call than this one; each is asked alone. */
  again(payload: unknown, scene: Scene): Station[] {
    return this.#judgements.flatMap(({ station, hook, saw }) => {
      const { row } = station;
      if (row.when !== undefined && !row.when(payload as never, scene)) return [];
      return equal(row.view.get(payload as never, scene), saw) ? [] : [{ ...station, hooks: [hook] }];
    });
  }
}
