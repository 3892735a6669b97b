/** How long a person waits for hooks that hang: until they say that it is enough, each time anew. */
export class Patience {
  #abort = new AbortController();
  #isOver = false;

  /** Aborted when it is over; take it anew for each wait. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Ends what is waited for now. Who is told of that is waited for with new patience. */
  end(): void {
    if (this.#isOver) return;
    const abort = this.#abort;
    this.#abort = new AbortController();
    abort.abort();
  }

  /** Ends it for good: no hook is waited for any more. */
  endForGood(): void {
    this.#isOver = true;
    this.#abort.abort();
  }
}
