import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addTime, createMetrics, percentile, wantsTime } from "../../src/hook/metrics.ts";
import { RUNS } from "../laws/seed.ts";
import { openWith } from "../laws/session.ts";

describe("a hook's times", () => {
  test("are all taken while its runs are slow", () => {
    const metrics = createMetrics();
    for (let i = 0; i < 100; i++) {
      expect(wantsTime(metrics)).toBe(true);
      addTime(metrics, 2);
    }
    expect([metrics.totalMs, percentile(metrics, 0.5), percentile(metrics, 0.95)]).toEqual([200, 2, 2]);
  });

  test("stand for the runs that were not timed, in the total and in the percentiles", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.integer({ min: 1, max: 40 }).map((us) => us / 1000),
          { minLength: 1, maxLength: 600 },
        ),
        (times) => {
          const metrics = createMetrics();
          let counted = 0;
          let exact = 0;
          for (const ms of times) {
            if (!wantsTime(metrics)) {
              metrics.untimed += 1;
              continue;
            }
            counted += metrics.untimed + 1;
            exact += ms * (metrics.untimed + 1);
            addTime(metrics, ms);
          }
          expect(metrics.totalMs).toBeCloseTo(exact, 9);
          expect(metrics.weights.reduce((sum, runs) => sum + runs, 0)).toBe(counted);
          expect(counted + metrics.untimed).toBe(times.length);
          expect(metrics.untimed).toBeLessThan(256);
          expect(percentile(metrics, 1)).toBe(Math.max(...metrics.recent));
          expect(percentile(metrics, 0)).toBe(Math.min(...metrics.recent));
        },
      ),
      RUNS,
    );
  });

  test("of a run that was caught waiting count for that run alone", () => {
    const metrics = createMetrics();
    addTime(metrics, 0.001);
    metrics.untimed += 20;
    addTime(metrics, 1000, true);
    expect([metrics.totalMs, metrics.untimed, metrics.quick]).toEqual([1000.001, 20, false]);
    expect([percentile(metrics, 0.4), percentile(metrics, 0.9)]).toEqual([0.001, 1000]);
  });

  test("of quick silent runs are sampled, of the others taken each time", async () => {
    const { session, clock } = await openWith({});
    let act: () => unknown = () => undefined;
    session.on("input", (async () => act()) as never);
    const metrics = session.hooks()[0]?.hook.metrics;
    const emit = (n: number): Promise<void> =>
      Array.from({ length: n }).reduce<Promise<void>>(
        (before) => before.then(async () => void (await session.emit("input", { text: "t", source: "interactive" }))),
        Promise.resolve(),
      );
    await emit(1);
    const { readings } = clock;
    await emit(255);
    expect(clock.readings - readings).toBeLessThan(5);
    expect(metrics).toMatchObject({ runs: 256, ok: 256, untimed: 255, recent: [0] });
    await emit(1);
    expect(metrics).toMatchObject({ runs: 257, untimed: 0, weights: [1, 256] });
    act = () => ({ text: "edited" });
    await emit(10);
    expect(metrics?.recent).toHaveLength(2 + 9);
    act = () => {
      clock.advance(7);
    };
    await emit(2);
    expect(metrics).toMatchObject({ runs: 269, totalMs: 14, quick: false });
  });

  test("of a run that outlasts a sweep are taken, though it was not timed from its start", async () => {
    const { session, clock } = await openWith({});
    const ends: (() => void)[] = [];
    let slow = false;
    session.on("turn.start", (async () => {
      if (slow) await new Promise<void>((resolve) => ends.push(resolve));
    }) as never);
    const emit = () => session.emit("turn.start", { turnIndex: 0, timestamp: 0 });
    await emit();
    slow = true;
    const waiting = emit();
    clock.advance(1000);
    for (const end of ends) end();
    await waiting;
    const metrics = session.hooks()[0]?.hook.metrics;
    expect(metrics?.totalMs).toBeGreaterThan(900);
    expect(metrics?.totalMs).toBeLessThanOrEqual(1000);
  });
});
