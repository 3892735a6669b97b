import { parentPort, workerData } from "node:worker_threads";
import {
  type Counter,
  createTraceState,
  DiagLogLevel,
  diag,
  type Histogram,
  type SpanContext,
} from "@opentelemetry/api";
import { OTLPMetricExporter as JsonMetrics } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPMetricExporter as ProtobufMetrics } from "@opentelemetry/exporter-metrics-otlp-proto";
import { OTLPTraceExporter as JsonTraces } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufTraces } from "@opentelemetry/exporter-trace-otlp-proto";
import { defaultResource, resourceFromAttributes } from "@opentelemetry/resources";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { BatchSpanProcessor, type ReadableSpan } from "@opentelemetry/sdk-trace";
import type { EndedSpan, FromWorker, Instrument, Measured, Recorded, ToWorker, WorkerStart } from "./message.ts";
import { Way } from "./way.ts";

// This thread exports telemetry. It loads the SDK and opens the connections, so that the agent waits for neither.

const { settings, scope } = workerData as WorkerStart;
const { traces, metrics } = settings;
const resource = defaultResource().merge(resourceFromAttributes(settings.resource));
const tell = (message: FromWorker): void => parentPort?.postMessage(message);
const problem = (text: string): void => tell({ type: "problem", text });

const spanWay =
  traces &&
  new Way(
    traces,
    (options) => (traces.protocol === "http/json" ? new JsonTraces(options) : new ProtobufTraces(options)),
    problem,
  );
// Spans arrive in batches already, so each batch is sent immediately, and little is left at the end.
const spans =
  spanWay && new BatchSpanProcessor({ scheduledDelayMillis: 0, ...settings.batch, exporter: spanWay.exporter });

const metricWay =
  metrics &&
  new Way(
    metrics,
    (options) => (metrics.protocol === "http/json" ? new JsonMetrics(options) : new ProtobufMetrics(options)),
    problem,
  );
const reader =
  metrics &&
  metricWay &&
  new PeriodicExportingMetricReader({
    exportIntervalMillis: settings.metricsEveryMs,
    exportTimeoutMillis: Math.min(metrics.timeoutMs, settings.metricsEveryMs),
    exporter: metricWay.exporter,
  });
const meter =
  reader &&
  new MeterProvider({ resource, readers: [reader] }).getMeter(scope.name, scope.version, {
    schemaUrl: scope.schemaUrl,
  });
const instruments = new Map<string, Histogram | Counter>();

parentPort?.on("message", (message: ToWorker) => {
  if (message.type === "recorded") for (const recorded of message.batch) take(recorded);
  else void flush(message.untilMs);
});

function take(recorded: Recorded): void {
  if (recorded.type === "span") spans?.onEnd(readable(recorded));
  else if (recorded.type === "instrument") make(recorded);
  else measure(recorded);
}

function make({ name, kind, unit, description, bounds }: Instrument): void {
  if (meter === undefined) return;
  const options = { unit, description, ...(bounds && { advice: { explicitBucketBoundaries: [...bounds] } }) };
  instruments.set(name, kind === "counter" ? meter.createCounter(name, options) : meter.createHistogram(name, options));
}

function measure({ name, attributes, values }: Measured): void {
  const instrument = instruments.get(name);
  if (instrument === undefined) return;
  for (const value of values) {
    if ("add" in instrument) instrument.add(value, attributes);
    else instrument.record(value, attributes);
  }
}

/** Exports everything until a given time. What is left then is lost, which is reported. */
async function flush(untilMs: number): Promise<void> {
  const late = new Promise((resolve) => setTimeout(resolve, Math.max(0, untilMs - Date.now())));
  await Promise.all([
    spans && spanWay?.flush(spans.forceFlush(), late),
    reader && metricWay?.flush(reader.forceFlush(), late),
  ]);
  tell({ type: "flushed" });
}

/** Reports problems that the SDK only logs: dropped spans, and spans that a collector rejected. */
diag.setLogger(
  {
    debug(message) {
      if (message.startsWith("maxQueueSize reached"))
        problem("Telemetry is not complete: more was recorded than could be sent.");
    },
    warn(message, said) {
      if (message.startsWith("Received Partial Success")) rejected(String(said));
    },
    error() {},
    info() {},
    verbose() {},
  },
  DiagLogLevel.DEBUG,
);

function rejected(said: string): void {
  const { rejectedSpans = 0, rejectedDataPoints = 0 } = JSON.parse(said);
  if (Number(rejectedSpans) > 0)
    problem(`Telemetry is not complete: ${spanWay?.where} rejected ${Number(rejectedSpans)} spans.`);
  if (Number(rejectedDataPoints) > 0)
    problem(`Telemetry is not complete: ${metricWay?.where} rejected ${Number(rejectedDataPoints)} measurements.`);
}

function readable(span: EndedSpan): ReadableSpan {
  const { traceId, parent } = span;
  const traceState = span.state === undefined ? {} : { traceState: createTraceState(span.state) };
  const spanContext: SpanContext = { traceId, spanId: span.spanId, traceFlags: span.flags, ...traceState };
  return {
    name: span.name,
    kind: span.kind,
    spanContext: () => spanContext,
    ...(parent && { parentSpanContext: { traceId, traceFlags: span.flags, ...parent } }),
    startTime: hrTime(span.startMs),
    endTime: hrTime(span.endMs),
    duration: hrTime(Math.max(0, span.endMs - span.startMs)),
    status: { code: span.status },
    attributes: span.attributes,
    links: [],
    events: [],
    ended: true,
    resource,
    instrumentationScope: scope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

function hrTime(ms: number): [number, number] {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
}
