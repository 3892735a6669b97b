import { systemClock } from "@hookline/ground";
import { Deadlines as Engine } from "@hookline/runtime/engine";

/** Runs the deadlines of all calls on one timer: a timer for each call would delay its answer. */
export class Deadlines {
  readonly #all = new Engine(systemClock);

  /** Calls `end` after this many ms, unless the returned function is called before. */
  set(ms: number, end: () => void): () => void {
    const due = systemClock.now() + ms;
    const over = (): void => this.#all.forget(limit);
    const limit = {
      look(now: number): number {
        if (now < due) return due;
        over();
        end();
        return Number.POSITIVE_INFINITY;
      },
    };
    this.#all.watch(limit, due);
    return over;
  }
}
