import { readFileSync } from "node:fs";
import { type Attributes, SpanStatusCode, trace } from "@opentelemetry/api";
import { InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { afterEach, describe, expect, test } from "vitest";
import { codeBlocks } from "../../../../scripts/code-blocks.ts";
import { NO_HOME } from "../../../../scripts/no-home.ts";
import type { Clock } from "../../../ground/src/time/clock.ts";
import { instrument } from "../../src/otel/index.ts";
import { createHookRuntime, type HookSession } from "../../src/session.ts";
import { ManualClock } from "../laws/clock.ts";

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const one of undo.splice(0)) await one();
});

interface Watched {
  readonly session: HookSession;
  spans(): readonly ReadableSpan[];
  /** Values of a metric, by the attributes that tell its points apart. */
  points(metric: string): Promise<readonly { readonly attributes: Attributes; readonly value: unknown }[]>;
}

async function watched(content = false, clock?: Clock): Promise<Watched> {
  const exporter = new InMemorySpanExporter();
  const tracer = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }).getTracer("test");
  const metrics = new InMemoryMetricExporter(0);
  const reader = new PeriodicExportingMetricReader({ exporter: metrics, exportIntervalMillis: 60_000 });
  const meters = new MeterProvider({ readers: [reader] });
  const session = await open({ tracer, meter: meters.getMeter("test"), content }, clock);
  undo.push(() => meters.shutdown());
  return {
    session,
    spans: () => exporter.getFinishedSpans(),
    async points(name) {
      await reader.forceFlush();
      const all =
        metrics
          .getMetrics()
          .at(-1)
          ?.scopeMetrics.flatMap((scope) => scope.metrics) ?? [];
      const metric = all.find(({ descriptor }) => descriptor.name === name);
      return metric?.dataPoints.map(({ attributes, value }) => ({ attributes, value })) ?? [];
    },
  };
}

async function open(options?: Parameters<typeof instrument>[1], clock?: Clock): Promise<HookSession> {
  const runtime = createHookRuntime({ home: NO_HOME, ...(clock !== undefined && { clock }) });
  if (options !== undefined) instrument(runtime, options);
  undo.push(() => runtime.close());
  return runtime.open({ scene: { sessionId: "s1", cwd: "/project" } });
}

const CALL = { toolCallId: "c1", tool: "bash", args: { command: "ls" } };

const named = (spans: readonly ReadableSpan[], name: string): ReadableSpan | undefined =>
  spans.find((span) => span.name === name);

describe("a dispatch", () => {
  test("is a span with the decision, and each hook that answered is a child span", async () => {
    const { session, spans } = await watched();
    session.on("tool.before", function refuse() {
      return { decision: "deny", reason: "no" };
    });
    await session.emit("tool.before", CALL);
    const dispatch = named(spans(), "hook.dispatch tool.before");
    expect(dispatch?.attributes).toEqual({
      "hookline.event": "tool.before",
      "hookline.decision": "deny",
      "hookline.pass": 1,
      "hookline.hooks": 1,
      "gen_ai.tool.name": "bash",
      "gen_ai.tool.call.id": "c1",
      "gen_ai.conversation.id": "s1",
    });
    expect(dispatch?.status.code).toBe(SpanStatusCode.UNSET);
    const run = spans().find((span) => span.name.startsWith("hook.run "));
    expect(run?.name).toBe("hook.run library:refuse#tool.before[0]");
    expect(run?.parentSpanContext?.spanId).toBe(dispatch?.spanContext().spanId);
    expect(run?.attributes).toMatchObject({ "hookline.hook.status": "answered", "hookline.hook.lane": "library" });
  });

  test("has no span without handlers", async () => {
    const { session, spans } = await watched();
    await session.emit("tool.before", CALL);
    expect(spans()).toEqual([]);
  });

  test("has a child span for a silent hook only if it took more than a millisecond", async () => {
    const clock = new ManualClock();
    const { session, spans } = await watched(false, clock);
    session.on("tool.start", function quick() {
      clock.advance(1);
    });
    session.on("tool.start", async function slow() {
      clock.advance(2);
      return undefined;
    });
    await session.emit("tool.start", CALL);
    const names = spans().map(({ name }) => name);
    expect(names).toEqual(["hook.run library:slow#tool.start[1]", "hook.dispatch tool.start"]);
  });

  test("names the fields that a hook edited", async () => {
    const { session, spans } = await watched();
    session.on("tool.before", function rewrite() {
      return { args: { command: "ls -l" } };
    });
    await session.emit("tool.before", CALL);
    expect(named(spans(), "hook.dispatch tool.before")?.attributes["hookline.decision"]).toBe("edit");
    const run = spans().find((span) => span.name.startsWith("hook.run "));
    expect(run?.attributes["hookline.hook.edited_fields"]).toEqual(["args"]);
  });

  test("records a failed hook as an error with its code, without its text", async () => {
    const { session, spans, points } = await watched();
    session.on("tool.start", function broken() {
      throw new Error("CANARY");
    });
    await session.emit("tool.start", CALL);
    const run = spans().find((span) => span.name.startsWith("hook.run "));
    expect(run?.status).toEqual({ code: SpanStatusCode.ERROR });
    expect(run?.attributes).toMatchObject({ "error.type": "HOOK_THREW", "hookline.hook.status": "failed" });
    expect(JSON.stringify(spans().map(({ attributes }) => attributes))).not.toContain("CANARY");
    const [failure] = await points("hookline.hook.failures");
    expect(failure).toMatchObject({ value: 1, attributes: { "error.type": "HOOK_THREW" } });
  });

  test("that fires for each token is measured and has no spans", async () => {
    const { session, spans, points } = await watched();
    session.on("message.update", function see() {});
    await session.emit("message.update", { message: {} as never, event: {} as never });
    expect(spans()).toEqual([]);
    const [duration] = await points("hookline.hook.duration");
    expect(duration?.attributes).toMatchObject({ "hookline.event": "message.update" });
  });

  test("counts decisions by event, decision and hook", async () => {
    const { session, points } = await watched();
    session.on("tool.before", function refuse() {
      return { decision: "deny", reason: "no" };
    });
    session.on("tool.before", function watch() {});
    await session.emit("tool.before", CALL);
    await session.emit("tool.before", CALL);
    expect(await points("hookline.decisions")).toEqual([
      {
        value: 2,
        attributes: {
          "hookline.event": "tool.before",
          "hookline.decision": "deny",
          "hookline.hook.id": "library:refuse#tool.before[0]",
        },
      },
    ]);
  });

  test("gives a handler the trace of its own run", async () => {
    const { session, spans } = await watched();
    let seen: string | undefined;
    session.on("tool.start", function ask(_, call) {
      seen = call.trace?.traceparent;
    });
    await session.emit("tool.start", CALL);
    const run = spans()
      .find((span) => span.name.startsWith("hook.run "))
      ?.spanContext();
    expect(seen).toBe(`00-${run?.traceId}-${run?.spanId}-01`);
  });
});

describe("a wrapped tool call", () => {
  test("that a hook denied has a dispatch and no execute_tool", async () => {
    const { session, spans } = await watched();
    session.on("tool.before", () => ({ decision: "deny", reason: "no" }));
    await session.wrap(CALL, () => "done");
    expect(spans().map(({ name }) => name)).not.toContain("execute_tool bash");
    expect(named(spans(), "hook.dispatch tool.before")?.attributes["hookline.decision"]).toBe("deny");
  });

  test("that runs is an execute_tool without content", async () => {
    const { session, spans } = await watched();
    await session.wrap(CALL, () => "CANARY");
    const span = named(spans(), "execute_tool bash");
    expect(span?.attributes).toMatchObject({ "gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.id": "c1" });
    expect(JSON.stringify(span?.attributes)).not.toContain("CANARY");
    expect(JSON.stringify(span?.attributes)).not.toContain("ls");
  });

  test("records content only on request, and after the redactors", async () => {
    const { session, spans } = await watched(true);
    session.on("tool.after", () => ({ content: [{ type: "text", text: "[redacted]" }] }));
    await session.wrap(CALL, () => "CANARY");
    const { attributes } = named(spans(), "execute_tool bash") ?? {};
    expect(attributes?.["gen_ai.tool.call.arguments"]).toBe('{"command":"ls"}');
    expect(attributes?.["gen_ai.tool.call.result"]).toBe('[{"type":"text","text":"[redacted]"}]');
    expect(JSON.stringify(spans().map((one) => one.attributes))).not.toContain("CANARY");
  });
});

test("a sub-agent's spans name it", async () => {
  const { session, spans } = await watched();
  session.on("tool.start", () => undefined);
  const within = session.within({ sessionId: "s1", cwd: "/project", agentId: "a1", agentType: "reviewer" });
  const operation = within.operation({ kind: "prompt" });
  await operation.within(() => within.emit("tool.start", CALL));
  operation.close();
  for (const span of spans())
    expect(span.attributes).toMatchObject({ "gen_ai.agent.id": "a1", "gen_ai.agent.name": "reviewer" });
  expect(spans().map(({ name }) => name)).toEqual(["hook.dispatch tool.start", "invoke_agent reviewer"]);
});

test("the lines of the guide, docs/guide/watch-with-opentelemetry.md, instrument a runtime", async () => {
  const page = readFileSync(new URL("../../../../docs/guide/watch-with-opentelemetry.md", import.meta.url), "utf8");
  const { text = "" } = codeBlocks(page).find(({ language }) => language === "ts") ?? {};
  const lines = text.replaceAll(/^import .*\n/gm, "");
  const runtime = new Function("createRuntime", "instrument", `${lines} return runtime;`)(
    createHookRuntime,
    instrument,
  );
  undo.push(() => runtime.close());
  expect(() => instrument(runtime)).toThrow("is already instrumented");
});

describe("instrument", () => {
  test("takes an SDK that is registered later", async () => {
    const session = await open({});
    session.on("tool.start", () => undefined);
    await session.emit("tool.start", CALL);
    const exporter = new InMemorySpanExporter();
    trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));
    undo.push(() => trace.disable());
    await session.emit("tool.start", CALL);
    expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual(["hook.dispatch tool.start"]);
  });

  test("observes a runtime once, until it is undone", async () => {
    const runtime = createHookRuntime({ home: NO_HOME });
    undo.push(() => runtime.close());
    const stop = instrument(runtime);
    expect(() => instrument(runtime)).toThrow("is already instrumented");
    stop();
    instrument(runtime)();
  });
});
