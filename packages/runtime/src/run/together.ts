import type { Attempt } from "./attempt.ts";

/** The handlers of a parallel station, who are asked at the same time and taken in in their order. */
export class Together {
  readonly #attempts: Attempt[];
  /** Who is waited for, and one for the asking itself. */
  #pending = 1;

  constructor(attempts: Attempt[]) {
    this.#attempts = attempts;
  }

  /** A list that stays as it is. */
  get attempts(): readonly Attempt[] {
    return [...this.#attempts];
  }

  await(): void {
    this.#pending += 1;
  }

  retry(failed: Attempt, next: Attempt): void {
    this.#attempts[this.#attempts.indexOf(failed)] = next;
  }

  /** Told that one has settled, or that all were asked; true when nobody is waited for any more. */
  joined(): boolean {
    this.#pending -= 1;
    return this.#pending === 0;
  }
}
