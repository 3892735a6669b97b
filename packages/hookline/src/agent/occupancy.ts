/** The error for a prompt that arrives while another one runs. The text is pi's. */
export const BUSY =
  "Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.";

/** The current use of a session: a prompt runs, hooks are asked about its end, or other exclusive work. */
export type Busy = "running" | "ending" | "occupied";

/** Tracks the work that uses the session, and can abort it. */
export class Occupancy {
  #busy: Busy | undefined;
  #abort: AbortController | undefined;
  #work: Promise<unknown> | undefined;
  #isInterrupted = false;
  #later: (() => void)[] = [];

  get busy(): Busy | undefined {
    return this.#busy;
  }

  /** A signal that is aborted when the current work should stop; undefined if there is no work. */
  get signal(): AbortSignal | undefined {
    return this.#busy === undefined ? undefined : this.#abort?.signal;
  }

  /** Records that the running prompt is ending, or that it runs again. */
  mark(busy: "running" | "ending"): void {
    if (this.#busy !== undefined) this.#busy = busy;
  }

  /** Whether work that a person has aborted has not ended yet. */
  get isInterrupted(): boolean {
    return this.#isInterrupted;
  }

  abort(by: "person" | "hook"): void {
    this.#abort?.abort();
    if (by === "person") this.#isInterrupted = this.#work !== undefined;
  }

  /** Resolves when nothing uses the session. */
  async free(): Promise<void> {
    while (this.#work !== undefined) await this.#work.catch(() => undefined);
  }

  /** Calls `act` as soon as no work uses the session: at once, or when the current work ends, before `after` runs. */
  whenFree(act: () => void): void {
    if (this.#busy === undefined) act();
    else this.#later.push(act);
  }

  /**
   * Runs `work` with the session reserved for it, then `after` with it free again. The promise also waits for `after`.
   */
  during<T>(busy: Busy, work: (signal: AbortSignal) => Promise<T>, after?: (result: T) => Promise<void>): Promise<T> {
    const abort = new AbortController();
    this.#busy = busy;
    this.#abort = abort;
    this.#isInterrupted = false;
    const whole = async (): Promise<T> => {
      const result = await work(abort.signal).finally(() => {
        this.#busy = undefined;
        for (const act of this.#later.splice(0)) act();
      });
      await after?.(result);
      return result;
    };
    const working = whole().finally(() => {
      if (this.#work !== working) return;
      this.#work = undefined;
      this.#isInterrupted = false;
    });
    this.#work = working;
    return working;
  }
}
