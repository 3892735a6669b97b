/** The error for a prompt that comes while another runs. The text is pi's. */
export const BUSY =
  "Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.";

/**
 * The use of a session: a running prompt, a prompt whose end the hooks are being told of, or work that needs the
 * session alone.
 */
export type Busy = "running" | "ending" | "occupied";

/** Tracks what uses the session, and aborts it. */
export class Occupancy {
  #busy: Busy | undefined;
  #abort: AbortController | undefined;
  #work: Promise<unknown> | undefined;
  #isInterrupted = false;
  #later: (() => void)[] = [];

  get busy(): Busy | undefined {
    return this.#busy;
  }

  /** Aborted when the current work is to end. */
  get signal(): AbortSignal | undefined {
    return this.#busy === undefined ? undefined : this.#abort?.signal;
  }

  /** Switches between a running prompt and an ending one. */
  mark(busy: "running" | "ending"): void {
    if (this.#busy !== undefined) this.#busy = busy;
  }

  /** True from a person's abort until the aborted work has ended. */
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

  /**
   * Calls `act` immediately, or as soon as the current work is done and before anyone is told that the session is free.
   */
  whenFree(act: () => void): void {
    if (this.#busy === undefined) act();
    else this.#later.push(act);
  }

  /**
   * Runs `work` with the session reserved for it. `after` runs when the session is free again; the promise waits for it
   * too.
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
