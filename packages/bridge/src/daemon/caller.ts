/** The client of one call. Its connection is the only sign of it: one that closes it has gone, and ends the call. */
export class Caller {
  #hasLeft = false;
  #told: (() => void) | undefined;

  /**
   * Has this called when the client leaves, in place of what was called before, and at once where it has left already;
   * `undefined` calls nothing.
   */
  onLeave(told: (() => void) | undefined): void {
    this.#told = told;
    if (this.#hasLeft) told?.();
  }

  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#told?.();
  }
}
