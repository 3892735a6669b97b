/** The time that a handler does not spend itself, because a person is being asked. Pauses may overlap. */
export class Pauses {
  readonly #now: () => number;
  #open = 0;
  #since = 0;
  #totalMs = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  get open(): boolean {
    return this.#open > 0;
  }

  /** Of the pauses that have ended. */
  get totalMs(): number {
    return this.#totalMs;
  }

  /** Begins one; returns its end, which counts once. */
  begin(): () => void {
    if (this.#open++ === 0) this.#since = this.#now();
    let open = true;
    return () => {
      if (!open) return;
      open = false;
      if (--this.#open === 0) this.#totalMs += this.#now() - this.#since;
    };
  }
}
