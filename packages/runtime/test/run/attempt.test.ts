import { describe, expect, test } from "vitest";
import { Instance } from "../../src/hook/instance.ts";
import type { Lane } from "../../src/hook/lane.ts";
import type { HookMetrics } from "../../src/hook/metrics.ts";
import { Registry } from "../../src/hook/registry.ts";
import { Deadlines } from "../../src/run/deadline.ts";
import { dispatch } from "../../src/run/dispatch.ts";
import type { Outcome } from "../../src/run/outcome.ts";
import { catalogRow, laneRow, PAYLOAD, settle } from "../laws/cases.ts";
import { ManualClock } from "../laws/clock.ts";
import { scene } from "../laws/reference.ts";

interface Bench {
  readonly clock: ManualClock;
  readonly instance: Instance;
  emit(signal?: AbortSignal): Outcome | Promise<Outcome>;
  metrics(): readonly HookMetrics[];
}

/** One lane of one row on a clock that stands still. */
function bench(cells: object = {}, kind: "guard" | "transform" = "transform", live = false): Bench {
  const clock = new ManualClock();
  const base = laneRow(
    {
      schedule: "all",
      feeds: { input: "draft", items: "draft", text: "chain" },
      keeps: false,
      closed: kind === "guard",
      scripts: [],
    },
    kind,
    "event",
  );
  const lane: Lane = { id: "lane", isolate: true, live, rows: [{ ...base, ...cells }] };
  const row = catalogRow({ kind, ends: kind === "guard" });
  const registry = new Registry([lane], new Map([[row.name, row]]), () => {});
  const deadlines = new Deadlines(clock);
  return {
    clock,
    metrics: () => [...registry.all()].map(({ hook }) => hook.metrics),
    instance: new Instance("lane", { path: "p", tier: "user" }, registry),
    emit: (signal) =>
      dispatch(registry.plan(row.name) as never, structuredClone(PAYLOAD), {
        scene,
        clock,
        deadlines,
        signal,
        trace: false,
        report: () => {},
      }),
  };
}

describe("a retry", () => {
  test("is made for failures only, and the first answer counts", async () => {
    const { instance, emit } = bench();
    let tries = 0;
    instance.on({
      event: "event",
      retry: 5,
      run: async () => (++tries < 3 ? Promise.reject(new Error("x")) : { text: `${tries}` }),
    });
    const outcome = await emit();
    expect([tries, outcome.answer, outcome.diagnostics]).toEqual([3, { text: "3" }, []]);
    expect(instance.hooks[0]?.metrics).toMatchObject({ runs: 3, ok: 1, failed: 2 });
  });

  test("after a timeout has its own time, signal and event", async () => {
    const { instance, emit, clock } = bench();
    const seen: unknown[] = [];
    instance.on({
      event: "event",
      retry: 1,
      timeoutMs: 100,
      run: ((event: any, call: any) => {
        seen.push([event.input.command, call.signal.aborted]);
        call.signal.addEventListener("abort", () => {
          event.input.command = "late";
        });
        return new Promise((resolve) => seen.length === 2 && setImmediate(() => resolve({ text: "second" })));
      }) as never,
    });
    const emitted = emit();
    clock.advance(100);
    await settle();
    clock.advance(99);
    const outcome = await emitted;
    expect(seen).toEqual([
      ["ls", false],
      ["ls", false],
    ]);
    expect(outcome.answer).toEqual({ text: "second" });
  });

  test("ends with the abort of the dispatch", async () => {
    const { instance, emit } = bench();
    const controller = new AbortController();
    let tries = 0;
    instance.on({
      event: "event",
      retry: 100,
      run: async () => {
        tries += 1;
        if (tries === 3) controller.abort();
        throw new Error("x");
      },
    });
    await emit(controller.signal);
    expect(tries).toBe(3);
  });

  test("keeps its position among parallel handlers", async () => {
    const { instance, emit } = bench({ schedule: "parallel", feeds: {} });
    let tries = 0;
    instance.on({
      event: "event",
      retry: 2,
      run: async () => (++tries < 3 ? Promise.reject(new Error("x")) : { text: "first" }),
    });
    instance.on({ event: "event", run: async () => ({ text: "second" }) });
    const outcome = await emit();
    expect(outcome.hooks.map(({ hook }) => hook)).toEqual(["lane:p#event[0]", "lane:p#event[1]"]);
    expect(outcome.answer).toEqual({ text: "second" });
  });
});

describe("a handler's time", () => {
  test("is paused while a person is asked", async () => {
    const { instance, emit, clock } = bench();
    let end = (): void => {};
    let answer = (_: unknown): void => {};
    instance.on({
      event: "event",
      timeoutMs: 100,
      run: ((_: unknown, call: any) => {
        end = call.pause();
        return new Promise((resolve) => (answer = resolve));
      }) as never,
    });
    const emitted = emit();
    clock.advance(10_000);
    end();
    clock.advance(99);
    answer({ text: "in time" });
    expect((await emitted).answer).toEqual({ text: "in time" });
  });

  test("of a lane is checked before each start", async () => {
    const { instance, emit, clock } = bench({ budgetMs: 100 });
    const asked: number[] = [];
    for (let i = 0; i < 4; i++) {
      instance.on({
        event: "event",
        run: () => {
          asked.push(i);
          clock.advance(40);
        },
      });
    }
    const { diagnostics } = await emit();
    expect(asked).toEqual([0, 1, 2]);
    expect(diagnostics.map(({ code }) => code)).toEqual(["CHAIN_LIMIT", "FAILED_OPEN"]);
  });

  test("a handler that the lane's time keeps from starting counts as failed, and as failed open", async () => {
    const { instance, emit, clock, metrics } = bench({ budgetMs: 100 });
    instance.on({ event: "event", run: () => clock.advance(120) });
    instance.on({ event: "event", run: () => undefined });
    await emit();
    const [first, second] = metrics();
    expect(first).toMatchObject({ runs: 1, ok: 1, failed: 0 });
    expect(second).toMatchObject({
      runs: 0,
      ok: 0,
      failed: 1,
      failedOpen: 1,
      lastError: "the chain limit was reached",
    });
  });

  test("a retry that the lane's time prevents adds no second failure", async () => {
    const { instance, emit, clock, metrics } = bench({ budgetMs: 100 });
    instance.on({
      event: "event",
      retry: 2,
      run: () => {
        clock.advance(120);
        throw new Error("broken");
      },
    });
    await emit();
    expect(metrics()[0]).toMatchObject({ runs: 1, failed: 1, failedOpen: 1 });
  });

  test("without a limit is reported once, after five seconds, and continues", async () => {
    const { instance, emit, clock } = bench({ timeoutMs: undefined });
    let answer = (_: unknown): void => {};
    instance.on({ event: "event", run: () => new Promise((resolve) => (answer = resolve)) });
    const emitted = emit();
    clock.advance(60_000);
    answer({ text: "at last" });
    expect((await emitted).answer).toEqual({ text: "at last" });
    expect(clock.timers).toBe(0);
  });
});

describe("parallel handlers in a live lane", () => {
  test("are each asked once, including those that are added meanwhile", async () => {
    const { instance, emit } = bench({ schedule: "parallel", feeds: {} }, "transform", true);
    const asked: string[] = [];
    const add = (id: string, then: () => void = () => {}): void => {
      instance.on({
        event: "event",
        run: async () => {
          asked.push(id);
          then();
        },
      });
    };
    add("a", () => asked.length === 1 && add("c"));
    add("b");
    await emit();
    expect(asked).toEqual(["a", "b", "c"]);
  });
});

describe("a guard", () => {
  const when = (command: string, answer: object) => (event: any) =>
    event.input.command === command ? answer : undefined;

  test("is counted as blocking only for the hook whose answer ended the lane", async () => {
    const { instance, emit } = bench({}, "guard");
    for (const answer of [{ note: "n" }, { block: true }, { block: true }, { note: "m" }])
      instance.on({ event: "event", run: () => answer });
    await emit();
    expect(instance.hooks.map(({ metrics }) => metrics.blocked)).toEqual([0, 1, 0, 0]);
  });

  test("that would ask about the final call counts when it is asked again", async () => {
    const { instance, emit } = bench({}, "guard");
    instance.on({ event: "event", run: when("rm", { ask: true, note: "n" }) as never });
    instance.on({ event: "event", run: () => ({ input: { command: "rm" } }) });
    expect((await emit()).answer).toEqual({ args: { command: "rm" }, decision: "ask" });
  });

  test("that fails when it is asked again refuses, although its failures are open", async () => {
    const { instance, emit } = bench({ failed: () => undefined }, "guard");
    instance.on({
      event: "event",
      run: ((event: any) => (event.input.command === "rm" ? Promise.reject(new Error("x")) : undefined)) as never,
    });
    instance.on({ event: "event", run: () => ({ input: { command: "rm" } }) });
    expect((await emit()).answer).toMatchObject({ decision: "deny" });
  });

  test("whose filter did not match the first call is asked about the final one", async () => {
    const { instance, emit } = bench({}, "guard");
    instance.on({ event: "event", match: (event: any) => event.input.command === "rm", run: () => ({ block: true }) });
    instance.on({ event: "event", run: () => ({ input: { command: "rm" } }) });
    expect((await emit()).answer).toMatchObject({ decision: "deny" });
  });

  test("that allowed a call is asked again when later edits undo each other", async () => {
    const { instance, emit } = bench({}, "guard");
    instance.on({ event: "event", run: () => ({ input: { command: "safe" } }) });
    instance.on({ event: "event", run: when("ls", { block: true }) as never });
    instance.on({ event: "event", run: () => ({ input: { command: "ls" } }) });
    expect((await emit()).answer).toMatchObject({ decision: "deny" });
  });
});
