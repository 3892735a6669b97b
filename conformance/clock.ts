import type { RuntimeOptions } from "@hookline/runtime";

type Clock = NonNullable<RuntimeOptions["clock"]>;

interface Due {
  readonly at: number;
  readonly order: number;
  fire(): void;
}

/** An event that is not over after a day of the case's clock never will be. */
const LONGEST_MS = 86_400_000;

/**
 * The clock of one case: time passes when everybody waits for it, and then at once.
 * So a case may take hours of its own and none of the reader's.
 */
export class CaseClock implements Clock {
  #now = 0;
  #order = 0;
  readonly #due = new Set<Due>();

  now(): number {
    return this.#now;
  }

  wall(): number {
    return this.#now;
  }

  timer(ms: number, fire: () => void): { cancel(): void; hold(on: boolean): void } {
    const due: Due = { at: this.#now + ms, order: this.#order++, fire };
    this.#due.add(due);
    return { cancel: () => void this.#due.delete(due), hold: () => {} };
  }

  /** Resolves after so many milliseconds of this clock. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => void this.timer(ms, resolve));
  }

  /** Waits for a promise, letting time pass. Throws when nothing settles it within a day. */
  async settle<T>(promise: T | Promise<T>): Promise<T> {
    if (!(promise instanceof Promise)) return promise;
    let settled = false;
    const end = (): void => {
      settled = true;
    };
    promise.then(end, end);
    for (;;) {
      await quiet();
      if (settled) return promise;
      this.#step();
    }
  }

  #step(): void {
    let next: Due | undefined;
    for (const due of this.#due) {
      if (next === undefined || due.at < next.at || (due.at === next.at && due.order < next.order)) next = due;
    }
    if (next === undefined || next.at > LONGEST_MS)
      throw new Error("the event never ends: a hook is waited for that will not answer");
    this.#due.delete(next);
    this.#now = Math.max(this.#now, next.at);
    next.fire();
  }
}

/** Lets everything run that waits for promises alone. */
function quiet(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
