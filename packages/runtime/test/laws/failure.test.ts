import { describe, expect, test } from "vitest";
import type { Diagnostic } from "../../../ground/src/error/diagnostic.ts";
import type { Feed, Kind, Schedule } from "../../src/catalog/row.ts";
import { last, record } from "../../src/fold/index.ts";
import { Instance } from "../../src/hook/instance.ts";
import type { Lane, LaneRow } from "../../src/hook/lane.ts";
import { Registry } from "../../src/hook/registry.ts";
import { Deadlines } from "../../src/run/deadline.ts";
import { dispatch } from "../../src/run/dispatch.ts";
import type { Outcome } from "../../src/run/outcome.ts";
import { catalogRow, laneRow, PAYLOAD, settle } from "./cases.ts";
import { ManualClock } from "./clock.ts";
import { reader } from "./reader.ts";
import { scene } from "./reference.ts";
import { SHAPES, type Shape } from "./shapes.ts";

interface Result {
  readonly outcome: Outcome;
  readonly reported: readonly Diagnostic[];
  /** Events that the handlers before and after the broken one saw. */
  readonly shown: readonly unknown[];
}

/** The broken handler between two good ones, in a lane in this process. */
async function runShape(
  shape: Shape,
  kind: "guard" | "transform",
  schedule: Schedule,
  feed: Feed,
  closed: boolean,
): Promise<Result> {
  const clock = new ManualClock();
  const reported: Diagnostic[] = [];
  const shown: unknown[] = [];
  const cells = laneRow(
    { schedule, feeds: { input: feed, items: feed, text: "chain" }, keeps: false, closed, scripts: [] },
    kind,
    "event",
  );
  const lane: Lane = { id: "lane", isolate: true, live: false, rows: [cells] };
  const row = catalogRow({ kind, ends: false });
  const registry = new Registry([lane], new Map([[row.name, row]]), () => {});
  const instance = new Instance("lane", { path: "p", tier: "user" }, registry);
  const good = (event: any): void => void shown.push(structuredClone(event));
  for (const run of [good, shape.run, good]) instance.on({ event: "event", run: run as never, timeoutMs: 100 });
  const begun = dispatch(registry.plan(row.name) as never, structuredClone(PAYLOAD), {
    scene,
    clock,
    deadlines: new Deadlines(clock),
    signal: undefined,
    trace: false,
    report: (diagnostic) => reported.push(diagnostic),
  });
  let outcome: Outcome | undefined = begun instanceof Promise ? undefined : begun;
  if (begun instanceof Promise) void begun.then((value) => (outcome = value));
  for (let i = 0; outcome === undefined; i++) {
    if (i > 50) throw new Error("the dispatch does not end");
    await settle();
    if (outcome === undefined && clock.timers > 0) clock.advance(60);
  }
  await settle();
  return { outcome, reported, shown };
}

const WAYS = (["guard", "transform"] as const).flatMap((kind) =>
  (["series", "all", ...(kind === "guard" ? [] : (["parallel"] as const))] as const).flatMap((schedule) =>
    (["original", "chain", "draft"] as const).flatMap((feed) =>
      [true, false].map((closed) => ({ kind, schedule, feed, closed })),
    ),
  ),
);

const inPlace = (name: string): boolean => name.startsWith("edits in place");

describe("law 4: a failure is a value, never escapes and is never silent", () => {
  test.each(SHAPES)("a handler that $name", async (shape) => {
    for (const { kind, schedule, feed, closed } of WAYS) {
      const { outcome, reported, shown } = await runShape(shape, kind, schedule, feed, closed);
      // An edit in place is one only where the row says so; elsewhere it is made on a copy and means nothing.
      const counts = !shape.harmless && (!inPlace(shape.name) || feed === "draft");
      expect([schedule, feed, reported.length > 0]).toEqual([schedule, feed, counts]);
      if (!counts) expect(outcome.hooks.filter(({ status }) => status !== "answered")).toEqual([]);
      // A clone may be taken of the answer.
      expect(JSON.stringify(outcome)).toBeTypeOf("string");
      const asked = shown.length;
      if (counts && closed && kind === "guard") {
        expect((outcome.answer as any).decision).toBe("deny");
        expect(asked).toBe(schedule === "series" || inPlace(shape.name) ? asked : 2);
      } else if (!counts) expect(asked).toBe(2);
    }
  });
});

describe("a row's own faults", () => {
  const throwing = (): never => {
    throw new Error("boom");
  };
  const rows: readonly [string, Partial<LaneRow>][] = [
    ["when", { when: throwing }],
    ["view.get", { view: { get: throwing, put: () => ({}) } }],
    ["view.put", { view: { get: (payload) => payload, put: throwing } }],
    ["read", { read: Object.defineProperty(throwing, "name", { value: "strict" }) as never }],
    ["failed", { failed: throwing }],
    ["fold.step", { fold: { ...record({ input: last() }), step: throwing } as never }],
    ["fold.result", { fold: { ...record({ input: last() }), result: throwing } as never }],
  ];

  test.each(rows)("in %s close a guard, are reported and do not escape", async (_, cells) => {
    for (const kind of ["guard", "transform"] satisfies Kind[]) {
      const reported: Diagnostic[] = [];
      const lane: Lane = {
        id: "lane",
        isolate: true,
        live: false,
        rows: [
          {
            ...laneRow(
              {
                schedule: "all",
                feeds: { input: "draft", items: "chain", text: "chain" },
                keeps: false,
                closed: true,
                scripts: [],
              },
              kind,
              "event",
            ),
            read: reader as never,
            ...cells,
          },
        ],
      };
      const row = catalogRow({ kind, ends: false });
      const registry = new Registry([lane], new Map([[row.name, row]]), () => {});
      const instance = new Instance("lane", { path: "p", tier: "user" }, registry);
      instance.on({ event: "event", run: () => ({ input: { command: "x" } }) });
      instance.on({
        event: "event",
        run: async () => {
          throw new Error("y");
        },
      });
      const clock = new ManualClock();
      const outcome = await dispatch(registry.plan(row.name) as never, structuredClone(PAYLOAD), {
        scene,
        clock,
        deadlines: new Deadlines(clock),
        signal: undefined,
        trace: false,
        report: (diagnostic) => reported.push(diagnostic),
      });
      expect(reported.length).toBeGreaterThan(0);
      if (kind === "guard") expect((outcome.answer as any).decision).toBe("deny");
    }
  });
});
