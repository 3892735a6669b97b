import type { Clock, Timer } from "../../../ground/src/time/clock.ts";

/** A clock that stands still until it is told to go on. */
export class ManualClock implements Clock {
  #now = 1000;
  #timers: { at: number; fire: () => void }[] = [];
  /** How often somebody has looked at it. */
  readings = 0;
  /** How many timers were made. */
  made = 0;

  now(): number {
    this.readings += 1;
    return this.#now;
  }

  wall(): number {
    return this.#now;
  }

  /** How many timers are set. */
  get timers(): number {
    return this.#timers.length;
  }

  timer(ms: number, fire: () => void): Timer {
    const timer = { at: this.#now + ms, fire };
    this.made += 1;
    this.#timers.push(timer);
    return { cancel: () => this.#drop(timer), hold: () => {} };
  }

  /** Goes on by so many milliseconds, firing what is due on the way. */
  advance(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      const [next] = this.#timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#drop(next);
      this.#now = Math.max(this.#now, next.at);
      next.fire();
    }
    this.#now = until;
  }

  #drop(timer: object): void {
    this.#timers = this.#timers.filter((other) => other !== timer);
  }
}
