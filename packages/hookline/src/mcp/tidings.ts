import type { Notified } from "./server.ts";

/**
 * The maximum number of notifications that wait while hooks are busy or not loaded; more are dropped. Source:
 * spec/omp.md 1.2.
 */
const MOST_WAITING = 100;

/** Tells hooks of notifications one after the other, in order of arrival, from `begin` on. */
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

  /** Called when the hooks have been told of the session's start. */
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
