/** The client of one call. Its connection is the only sign of it: one that closes it has gone, and ends the call. */
export class Caller {
  #hasLeft = false;
  #told: (() => void) | undefined;

  get hasLeft(): boolean {
    return this.#hasLeft;
  }

  /** Has this called when the client leaves, in place of what was called before; `undefined` calls nothing. */
  onLeave(told: (() => void) | undefined): void {
    this.#told = told;
  }

  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#told?.();
  }
}
