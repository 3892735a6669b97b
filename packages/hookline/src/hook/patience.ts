/** Lets a person end the wait for hooks that hang; later waits are not affected. */
export class Patience {
  #abort = new AbortController();
  #isOver = false;

  /** Aborted when the current wait ends. Must be read anew for each wait. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Ends the current waits for hooks by aborting their signal. Hooks that are asked afterwards get a new signal. */
  end(): void {
    if (this.#isOver) return;
    const abort = this.#abort;
    this.#abort = new AbortController();
    abort.abort();
  }

  /** Ends the current wait for hooks and all later waits. */
  endForGood(): void {
    this.#isOver = true;
    this.#abort.abort();
  }
}
