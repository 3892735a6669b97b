import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NO_HOME } from "../../../../scripts/no-home.ts";
import type { Timer } from "../../../ground/src/time/clock.ts";
import { Deadlines, type Waiting } from "../../src/run/deadline.ts";
import type { Outcome } from "../../src/run/outcome.ts";
import { createHookRuntime } from "../../src/session/runtime.ts";
import { ManualClock } from "../laws/clock.ts";
import { RUNS } from "../laws/seed.ts";

/** Something with a limit, counted from when it first knows the time. */
class Entry implements Waiting {
  endedAt: number | undefined;
  /** When it is due, as far as it knows. */
  due: number | undefined;
  readonly #limit: number;
  readonly #end: (entry: Entry) => void;

  constructor(limit: number, exact: boolean, clock: ManualClock, end: (entry: Entry) => void) {
    this.#limit = limit;
    this.#end = end;
    if (exact) this.due = clock.now() + limit;
  }

  look(now: number): number {
    this.due ??= now + this.#limit;
    if (this.due > now) return this.due;
    this.endedAt = now;
    this.#end(this);
    return Number.POSITIVE_INFINITY;
  }
}

/** Something without a limit. */
const endless: Waiting = { look: () => Number.POSITIVE_INFINITY };

describe("deadlines", () => {
  test("are never early, and late by at most one check", () => {
    const step = fc.record({ wait: fc.nat({ max: 400 }), limit: fc.nat({ max: 5000 }), exact: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
        const clock = new ManualClock();
        const deadlines = new Deadlines(clock);
        const begun: { entry: Entry; at: number; limit: number }[] = [];
        for (const { wait, limit, exact } of steps) {
          clock.advance(wait);
          const entry = new Entry(limit, exact, clock, (one) => deadlines.forget(one));
          begun.push({ entry, at: clock.now(), limit });
          deadlines.watch(entry, entry.due);
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

  test("forget settled waits in any order", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 50 }), { minLength: 1, maxLength: 20 }), (order) => {
        const clock = new ManualClock();
        const deadlines = new Deadlines(clock);
        const ended: Entry[] = [];
        const entries = order.map(
          () =>
            new Entry(100, false, clock, (one) => {
              ended.push(one);
              deadlines.forget(one);
            }),
        );
        for (const entry of entries) deadlines.watch(entry, entry.due);
        const left = new Set(entries);
        for (const n of order.slice(1)) {
          const gone = [...left][n % left.size] as Entry;
          left.delete(gone);
          deadlines.forget(gone);
        }
        clock.advance(1000);
        expect(new Set(ended)).toEqual(left);
      }),
      RUNS,
    );
  });

  test("use one timer for many that start between two checks", () => {
    const clock = new ManualClock();
    const deadlines = new Deadlines(clock);
    for (let i = 0; i < 1000; i++) {
      const entry = new Entry(100, false, clock, () => {});
      deadlines.watch(entry, entry.due);
      deadlines.forget(entry);
    }
    expect(clock.readings).toBeLessThan(5);
    expect(clock.made).toBe(1);
    expect(clock.timers).toBe(1);
    clock.advance(50);
    expect(clock.timers).toBe(0);
  });

  test("keep a timer while something is pending that is never due", () => {
    const clock = new ManualClock();
    const deadlines = new Deadlines(clock);
    deadlines.watch(endless, undefined);
    clock.advance(100_000);
    expect(clock.timers).toBe(1);
    deadlines.forget(endless);
    expect(clock.timers).toBe(0);
  });

  test.each([
    [true, 1],
    [false, 0],
  ])("that never come keep the process alive: %s", (keepsAlive, held) => {
    const clock = new HoldingClock();
    const deadlines = new Deadlines(clock, keepsAlive);
    deadlines.watch(endless, undefined);
    expect(clock.held).toBe(1);
    clock.advance(100);
    expect(clock.held).toBe(held);
    // Somebody with a limit holds it again.
    const limited = new Entry(1000, true, clock, (one) => deadlines.forget(one));
    deadlines.watch(limited, limited.due);
    expect(clock.held).toBe(1);
    clock.advance(2000);
    expect(limited.endedAt).toBeDefined();
    expect(clock.held).toBe(held);
    deadlines.close();
  });
});

test("a dispatch that ends synchronously leaves no timer, even if its promise throws when awaited", async () => {
  const clock = new ManualClock();
  const session = await createHookRuntime({ home: NO_HOME, clock }).open({ scene: { sessionId: "s", cwd: "/" } });
  const hostile = Object.defineProperty(Promise.resolve(), "constructor", {
    get: () => {
      throw new Error("not to be waited for");
    },
  });
  session.on("turn.start", () => hostile as never);
  const outcome = session.emit("turn.start", { turnIndex: 0, timestamp: 0 });
  expect(outcome).not.toBeInstanceOf(Promise);
  expect((outcome as Outcome).diagnostics[0]?.message).toContain("not to be waited for");
  expect(clock.timers).toBe(0);
  session.on("turn.start", async () => undefined);
  await session.emit("turn.start", { turnIndex: 0, timestamp: 0 });
  clock.advance(50);
  expect(clock.timers).toBe(0);
});

/** Counts the timers that keep the process alive. */
class HoldingClock extends ManualClock {
  held = 0;

  override timer(ms: number, fire: () => void): Timer {
    let isHeld = false;
    const hold = (on: boolean): void => {
      this.held += Number(on) - Number(isHeld);
      isHeld = on;
    };
    const timer = super.timer(ms, () => {
      hold(false);
      fire();
    });
    return {
      hold,
      cancel() {
        hold(false);
        timer.cancel();
      },
    };
  }
}
