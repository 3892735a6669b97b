import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Deadlines, type Waiting } from "../../src/run/deadline.ts";
import { ManualClock } from "../laws/clock.ts";
import { RUNS } from "../laws/seed.ts";

/** Something with a limit, counted from when it first knows the time. */
class Entry implements Waiting {
  slot = -1;
  endedAt: number | undefined;
  began: number | undefined;
  readonly #limit: number;
  readonly #clock: ManualClock;
  readonly #end: (entry: Entry) => void;

  constructor(limit: number, exact: boolean, clock: ManualClock, end: (entry: Entry) => void) {
    this.#limit = limit;
    this.#clock = clock;
    this.#end = end;
    if (exact) this.began = clock.now();
  }

  due(): number | undefined {
    return this.began === undefined ? undefined : this.began + this.#limit;
  }

  sweep(now: number): number {
    this.began ??= now;
    if (this.began + this.#limit > now) return this.began + this.#limit;
    this.endedAt = this.#clock.now();
    this.#end(this);
    return Number.POSITIVE_INFINITY;
  }
}

describe("deadlines", () => {
  test("are never early, and late by a sweep at most", () => {
    const step = fc.record({ wait: fc.nat({ max: 400 }), limit: fc.nat({ max: 5000 }), exact: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
        const clock = new ManualClock();
        const deadlines = new Deadlines(clock);
        const begun: { entry: Entry; at: number; limit: number }[] = [];
        for (const { wait, limit, exact } of steps) {
          clock.advance(wait);
          const entry = new Entry(limit, exact, clock, (one) => deadlines.settled(one));
          begun.push({ entry, at: clock.now(), limit });
          deadlines.watch(entry, entry.due());
        }
        clock.advance(20_000);
        for (const { entry, at, limit } of begun) {
          expect(entry.endedAt).toBeGreaterThanOrEqual(at + limit);
          expect(entry.endedAt).toBeLessThanOrEqual(at + limit + 51);
        }
        expect(clock.timers).toBe(0);
      }),
      RUNS,
    );
  });

  test("forget what has settled, whatever the order", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 50 }), { minLength: 1, maxLength: 20 }), (order) => {
        const clock = new ManualClock();
        const deadlines = new Deadlines(clock);
        const ended: Entry[] = [];
        const entries = order.map(
          () =>
            new Entry(100, false, clock, (one) => {
              ended.push(one);
              deadlines.settled(one);
            }),
        );
        for (const entry of entries) deadlines.watch(entry, undefined);
        const left = new Set(entries);
        for (const n of order.slice(1)) {
          const gone = [...left][n % left.size] as Entry;
          left.delete(gone);
          deadlines.settled(gone);
        }
        clock.advance(1000);
        expect(new Set(ended)).toEqual(left);
      }),
      RUNS,
    );
  });

  test("look at the clock once for many that begin between two sweeps", () => {
    const clock = new ManualClock();
    const deadlines = new Deadlines(clock);
    for (let i = 0; i < 1000; i++) {
      const entry = new Entry(100, false, clock, () => {});
      deadlines.watch(entry, undefined);
      deadlines.settled(entry);
    }
    expect(clock.readings).toBeLessThan(5);
    expect(clock.timers).toBe(1);
    clock.advance(50);
    expect(clock.timers).toBe(0);
  });

  test("keep a timer while something waits that is never due", () => {
    const clock = new ManualClock();
    const deadlines = new Deadlines(clock);
    const entry: Waiting = { slot: -1, sweep: () => Number.POSITIVE_INFINITY };
    deadlines.watch(entry, Number.POSITIVE_INFINITY);
    clock.advance(100_000);
    expect(clock.timers).toBe(1);
    deadlines.settled(entry);
    expect(clock.timers).toBe(0);
  });
});
