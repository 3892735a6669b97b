/** What a prompt is answered with that comes while another runs. The text is pi's. */
export const BUSY =
  "Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.";

/** What has a session: a prompt that runs, one whose end the hooks hear of, or something that needs it alone. */
export type Busy = "running" | "ending" | "occupied";

/** Who has the session at the moment, and how it is ended. */
export class Occupancy {
  #busy: Busy | undefined;
  #abort: AbortController | undefined;
  #work: Promise<unknown> | undefined;
  #isInterrupted = false;
  #later: (() => void)[] = [];

  get busy(): Busy | undefined {
    return this.#busy;
  }

  /** Aborted when what has the session is to end. */
  get signal(): AbortSignal | undefined {
    return this.#busy === undefined ? undefined : this.#abort?.signal;
  }

  /** Tells a running prompt from one that is ending. */
  mark(busy: "running" | "ending"): void {
    if (this.#busy !== undefined) this.#busy = busy;
  }

  /** True from a person's abort until what was aborted has ended. */
  get isInterrupted(): boolean {
    return this.#isInterrupted;
  }

  abort(by: "person" | "hook"): void {
    this.#abort?.abort();
    if (by === "person") this.#isInterrupted = this.#work !== undefined;
  }

  /** Resolves when nothing has the session. */
  async free(): Promise<void> {
    while (this.#work !== undefined) await this.#work.catch(() => undefined);
  }

  /** Acts at once, or as soon as what has the session is done and before anybody is told that it is free. */
  whenFree(act: () => void): void {
    if (this.#busy === undefined) act();
    else this.#later.push(act);
  }

  /** Gives the session to `work`; `after` runs when it is free again, and is still waited for. */
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
