import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HookMetrics } from "../../src/hook/metrics.ts";
import { RUNS } from "../laws/seed.ts";
import { openWith } from "../laws/session.ts";

describe("a hook's times", () => {
  test("are all in the total, and the latest 256 in the percentiles", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 40_000 }), { minLength: 1, maxLength: 600 }), (times) => {
        const metrics = new HookMetrics();
        for (const ms of times) metrics.add(ms, true);
        const latest = times.slice(-256);
        expect(metrics.totalMs).toBe(times.reduce((sum, ms) => sum + ms, 0));
        expect([...metrics.recent].sort((a, b) => a - b)).toEqual(latest.sort((a, b) => a - b));
        expect(metrics.percentile(1)).toBe(Math.max(...latest));
        expect(metrics.percentile(0)).toBe(Math.min(...latest));
      }),
      RUNS,
    );
  });

  test("have percentiles even before the first run", () => {
    expect(new HookMetrics().percentile(0.5)).toBe(0);
  });

  test("are those of the last timed run if a quick one is not timed", () => {
    const metrics = new HookMetrics();
    expect(metrics.wantsTime).toBe(true);
    metrics.add(0.01, true);
    metrics.runs = 1;
    expect(metrics.wantsTime).toBe(false);
    metrics.add(undefined, true);
    expect([metrics.recent, metrics.totalMs]).toEqual([[0.01, 0.01], 0.02]);
    metrics.add(undefined, true);
    metrics.runs = 64;
    expect(metrics.wantsTime).toBe(true);
    metrics.add(3, true);
    expect([metrics.recent, metrics.totalMs]).toEqual([[0.01, 0.01, 0.01, 3], 3.03]);
    metrics.runs = 65;
    expect(metrics.wantsTime).toBe(true);
  });

  test("of quick silent runs are taken once in 64, of the others each time", async () => {
    const { session, clock } = await openWith({});
    let answer: object | undefined;
    session.on("input", (async () => answer) as never);
    const emit = async (times: number) => {
      for (let i = 0; i < times; i++) await session.emit("input", { text: "t", source: "interactive" });
    };
    await emit(1);
    const before = clock.readings;
    await emit(63);
    expect(clock.readings - before).toBeLessThan(5);
    answer = { text: "edited" };
    await emit(10);
    expect(clock.readings - before).toBeGreaterThan(18);
    expect(session.hooks()[0]?.hook.metrics).toMatchObject({ runs: 74, ok: 74 });
  });

  test("of a run that outlasts a check of the deadlines are taken, although it was not timed from its start", async () => {
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

  test("are taken of each run that answers or is slow", async () => {
    const { session, clock } = await openWith({});
    let act: () => unknown = () => undefined;
    session.on("input", (async () => act()) as never);
    const emit = () => session.emit("input", { text: "t", source: "interactive" });
    const metrics = session.hooks()[0]?.hook.metrics;
    act = () => {
      clock.advance(7);
    };
    await emit();
    act = () => {
      clock.advance(2);
      return { text: "edited" };
    };
    await emit();
    const { ms } = await emit();
    expect(metrics).toMatchObject({ runs: 3, ok: 3, recent: [7, 2, 2], totalMs: 11 });
    expect(ms).toBe(2);
  });

  test("are each hook's own, whichever hook runs before it", async () => {
    const { session, clock } = await openWith({});
    for (const ms of [5, 3]) session.on("turn.end", (async () => clock.advance(ms)) as never);
    for (const ms of [4, 1]) session.on("input", (async () => clock.advance(ms)) as never);
    await session.emit("turn.end", { turnIndex: 0, message: { role: "assistant" }, toolResults: [] } as never);
    await session.emit("input", { text: "t", source: "interactive" });
    expect(session.hooks().map(({ hook }) => hook.metrics.totalMs)).toEqual(expect.arrayContaining([5, 3, 4, 1]));
  });
});
