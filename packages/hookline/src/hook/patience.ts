/** Lets a person end the wait for hooks that hang; later waits are not affected. */
export class Patience {
  #abort = new AbortController();
  #isOver = false;

  /** Aborted when the current wait ends. Must be read anew for each wait. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Ends the current waits by aborting their signal. Hooks that are asked because of this get a new signal. */
  end(): void {
    if (this.#isOver) return;
    const abort = this.#abort;
    this.#abort = new AbortController();
    abort.abort();
  }

  /** Ends all waits from now on. */
  endForGood(): void {
    this.#isOver = true;
    this.#abort.abort();
  }
}
