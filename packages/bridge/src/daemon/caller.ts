/** The client of one call. A closed connection means that the client has left, which ends the call. */
export class Caller {
  #hasLeft = false;
  #told: (() => void) | undefined;

  /**
   * Calls `told` when the client leaves, or at once if it has left already. Replaces the function given before;
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
