import { ROOT_CONTEXT, SpanStatusCode, trace } from "@opentelemetry/api";
import { describe, expect, test } from "vitest";
import type { Recorded } from "../../src/telemetry/message.ts";
import { MeasurementRecorder, recordingTracer } from "../../src/telemetry/recorder.ts";
import { samplingOf } from "../../src/telemetry/sampling.ts";

const PARENT = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };

function tracerFor(sampler?: string, argument?: string) {
  const taken: Recorded[] = [];
  return { taken, tracer: recordingTracer(samplingOf(sampler, argument).sampling, (one) => taken.push(one)) };
}

describe("the agent's tracer", () => {
  test("passes a span on once, when it ends, with its parent", () => {
    const { taken, tracer } = tracerFor();
    const context = trace.setSpanContext(ROOT_CONTEXT, { ...PARENT, traceFlags: 1, isRemote: true });
    const span = tracer.startSpan("a", { startTime: 10, attributes: { x: 1 } }, context);
    span.setAttributes({ y: 2 }).setStatus({ code: SpanStatusCode.ERROR });
    expect(taken).toEqual([]);
    span.end(20);
    span.end(30);
    expect(taken).toMatchObject([
      {
        name: "a",
        traceId: PARENT.traceId,
        parent: { spanId: PARENT.spanId, isRemote: true },
        startMs: 10,
        endMs: 20,
        attributes: { x: 1, y: 2 },
        status: SpanStatusCode.ERROR,
      },
    ]);
  });

  test("starts a new trace if there is none", () => {
    const { tracer } = tracerFor();
    const [a, b] = [tracer.startSpan("a", {}, ROOT_CONTEXT), tracer.startSpan("b", {}, ROOT_CONTEXT)];
    expect(a.spanContext().traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(a.spanContext().traceId).not.toBe(b.spanContext().traceId);
  });

  test.each([
    ["always_off", undefined, 1, 0],
    ["traceidratio", "0", 1, 0],
    ["traceidratio", "1", 0, 1],
    ["parentbased_always_on", undefined, 0, 0],
    ["parentbased_always_off", undefined, 1, 1],
    ["parentbased_traceidratio", "0", 1, 1],
  ])("samples as %s (%s) says, below a parent with flags %i", (name, argument, parent, sampled) => {
    const { taken, tracer } = tracerFor(name, argument);
    const context = trace.setSpanContext(ROOT_CONTEXT, { ...PARENT, traceFlags: parent });
    const span = tracer.startSpan("a", {}, context);
    span.end();
    // Hooks see the same sampling decision as the export.
    expect(span.spanContext().traceFlags).toBe(sampled);
    expect(taken).toHaveLength(sampled);
  });
});

describe("the agent's meter", () => {
  test("keeps the values of a series together until they are taken, also if its attributes are new objects", () => {
    const instruments: Recorded[] = [];
    const metrics = new MeasurementRecorder(
      (one) => instruments.push(one),
      () => true,
    );
    const duration = metrics.meter.createHistogram("d", { unit: "s", advice: { explicitBucketBoundaries: [1, 2] } });
    const decisions = metrics.meter.createCounter("c");
    const [first, second] = [{ hook: "a" }, { hook: "b" }];
    for (const value of [1, 2]) duration.record(value, first);
    duration.record(3, second);
    // The same attributes of another instrument are another series.
    decisions.add(1, first);
    expect(instruments).toMatchObject([
      { type: "instrument", name: "d", kind: "histogram", unit: "s", bounds: [1, 2] },
      { type: "instrument", name: "c", kind: "counter", unit: "" },
    ]);
    expect(metrics.drain()).toEqual([
      { type: "measured", name: "d", attributes: first, values: [1, 2] },
      { type: "measured", name: "d", attributes: second, values: [3] },
      { type: "measured", name: "c", attributes: first, values: [1] },
    ]);
    expect(metrics.drain()).toEqual([]);
    for (const value of [1, 2]) duration.record(value, { model: "m" });
    expect(metrics.drain()).toEqual([{ type: "measured", name: "d", attributes: { model: "m" }, values: [1, 2] }]);
    duration.record(4, first);
    expect(metrics.drain()).toEqual([{ type: "measured", name: "d", attributes: first, values: [4] }]);
  });

  test("keeps nothing for which there is no room", () => {
    let room = 1;
    const metrics = new MeasurementRecorder(
      () => {},
      () => room-- > 0,
    );
    const counter = metrics.meter.createCounter("c");
    for (const value of [1, 2]) counter.add(value);
    expect(metrics.drain()).toMatchObject([{ values: [1] }]);
  });
});
