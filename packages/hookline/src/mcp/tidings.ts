import type { Notified } from "./server.ts";

/**
 * At most this many notifications wait while hooks are busy or not loaded; further ones are dropped. Source:
 * spec/omp.md 1.2.
 */
const MOST_WAITING = 100;

/** Passes notifications of servers to hooks, one after the other in order of arrival, from `begin` on. */
export class Tidings {
  readonly #tell: (server: string, notified: Notified) => Promise<unknown>;
  readonly #dropped: () => void;
  readonly #waiting: [string, Notified][] = [];
  #hasBegun = false;
  #isTelling = false;

  constructor(tell: (server: string, notified: Notified) => Promise<unknown>, dropped: () => void) {
    this.#tell = tell;
    this.#dropped = dropped;
  }

  take(server: string, notified: Notified): void {
    if (this.#waiting.length >= MOST_WAITING) {
      this.#dropped();
      return;
    }
    this.#waiting.push([server, notified]);
    void this.#goOn();
  }

  /** Starts passing notifications on. Must be called after hooks have seen the session's start. */
  begin(): void {
    this.#hasBegun = true;
    void this.#goOn();
  }

  async #goOn(): Promise<void> {
    if (!this.#hasBegun || this.#isTelling) return;
    this.#isTelling = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift())
      await this.#tell(...next).catch(() => {});
    this.#isTelling = false;
  }
}
