import { subscribe } from "node:diagnostics_channel";
import { readFileSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { type Counter, createTraceState, type Histogram, type SpanContext } from "@opentelemetry/api";
import type { ExportResult } from "@opentelemetry/core";
import { OTLPMetricExporter as JsonMetrics } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPMetricExporter as ProtobufMetrics } from "@opentelemetry/exporter-metrics-otlp-proto";
import { OTLPTraceExporter as JsonTraces } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufTraces } from "@opentelemetry/exporter-trace-otlp-proto";
import { defaultResource, resourceFromAttributes } from "@opentelemetry/resources";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { BatchSpanProcessor, type ReadableSpan } from "@opentelemetry/sdk-trace";
import type { EndedSpan, FromWorker, Instrument, Measured, Recorded, ToWorker, WorkerStart } from "./message.ts";
import type { Target } from "./variables.ts";

// The exporting thread: it has the SDK and the connections, so that the agent waits for neither.

const { settings, scope } = workerData as WorkerStart;
const { traces, metrics } = settings;
const resource = defaultResource().merge(resourceFromAttributes(settings.resource));
const tell = (message: FromWorker): void => parentPort?.postMessage(message);

/** The last error on the way to a collector, because an exporter that retries does not report it. */
let lastProblem: string | undefined;
subscribe("http.client.request.error", (about) => {
  const { error } = about as { readonly error?: Error & { readonly code?: string } };
  lastProblem = wordsOf(error);
});
subscribe("http.client.response.finish", (about) => {
  const { statusCode = 200 } = (about as { readonly response: { readonly statusCode?: number } }).response;
  lastProblem = statusCode > 299 ? `it answered with HTTP status ${statusCode}` : undefined;
});

const spans =
  traces &&
  new BatchSpanProcessor({
    ...settings.batch,
    exporter: telling(
      traces,
      traces.protocol === "http/json" ? new JsonTraces(optionsOf(traces)) : new ProtobufTraces(optionsOf(traces)),
    ),
  });

const reader =
  metrics &&
  new PeriodicExportingMetricReader({
    exportIntervalMillis: settings.metricsEveryMs,
    exportTimeoutMillis: Math.min(metrics.timeoutMs, settings.metricsEveryMs),
    exporter: telling(
      metrics,
      metrics.protocol === "http/json" ? new JsonMetrics(optionsOf(metrics)) : new ProtobufMetrics(optionsOf(metrics)),
    ),
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

/** Exports everything, until that time at most; whatever is left then is lost, which is reported. */
async function flush(untilMs: number): Promise<void> {
  const all = Promise.allSettled([spans?.forceFlush(), reader?.forceFlush()]).then(() => true);
  const isWhole = await Promise.race([
    all,
    new Promise<boolean>((resolve) => setTimeout(() => resolve(false), Math.max(0, untilMs - Date.now()))),
  ]);
  const target = traces ?? metrics;
  if (!isWhole && target !== undefined)
    tell({ type: "problem", text: problemWith(target, lastProblem ?? "it did not take everything in time") });
  tell({ type: "flushed" });
}

/** An exporter whose failures are reported. */
function telling<E extends { export(items: never, done: (result: ExportResult) => void): void }>(
  target: Target,
  exporter: E,
): E {
  const send = exporter.export.bind(exporter);
  exporter.export = (items, done) =>
    send(items, (result) => {
      if (result.code !== 0) tell({ type: "problem", text: problemWith(target, lastProblem ?? wordsOf(result.error)) });
      done(result);
    });
  return exporter;
}

function problemWith({ url }: Target, what: string): string {
  const { origin, pathname } = new URL(url);
  return `Telemetry is not exported to ${origin}${pathname}: ${what}.`;
}

/** The failure in a few words: its code if it has one, because its text may quote what was sent. */
function wordsOf(error: (Error & { readonly code?: unknown }) | undefined): string {
  const { code, message = "" } = error ?? {};
  if (code === "ECONNREFUSED") return "nothing listens there (ECONNREFUSED)";
  if (typeof code === "string") return `the connection failed (${code})`;
  if (typeof code === "number") return `it answered with HTTP status ${code}`;
  return /timed? ?out/i.test(message) ? "it did not answer in time" : "the connection failed";
}

function optionsOf({ url, headers, timeoutMs, certificate }: Target): object {
  return {
    url,
    headers: { ...headers },
    timeoutMillis: timeoutMs,
    ...(certificate !== undefined && { httpAgentOptions: { keepAlive: true, ca: certificates(certificate) } }),
  };
}

function certificates(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    tell({ type: "problem", text: `OTEL_EXPORTER_OTLP_CERTIFICATE names ${path}, which cannot be read.` });
    return undefined;
  }
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
