/** Ends the wait for hooks that hang when a person says so; later waits are not affected. */
export class Patience {
  #abort = new AbortController();
  #isOver = false;

  /** Aborted when the wait ends; get it again for each wait. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Ends the current waits. Hooks that are told about that are waited for again. */
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
