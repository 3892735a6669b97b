import { AsyncLocalStorage } from "node:async_hooks";
import { Worker } from "node:worker_threads";
import { VERSION } from "@hookline/ground";
import { CONVENTIONS, type Contexts, instrument, SCOPE } from "@hookline/runtime/otel";
import type { HookRuntime } from "@hookline/runtime/session";
import { type Context, ROOT_CONTEXT, type Tracer } from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { keepSecret } from "../provider/secrets.ts";
import type { FromWorker, Recorded, ToWorker, WorkerStart } from "./message.ts";
import { MeasurementRecorder, recordingTracer } from "./recorder.ts";
import { readVariables, type TelemetrySettings } from "./variables.ts";

/** Time at the end of a run for the exporting thread to report what it could not send, in ms. */
const REPORTING_MS = 100;
/** The time for which spans and measurements are collected before they are passed on together, in ms. */
const HAND_OVER_MS = 1000;
/** The number of waiting spans and measurements at which they are passed on before `HAND_OVER_MS` is over. */
const MANY = 5000;
/** The number of waiting spans at which they are passed on early. More would slow both threads' garbage collection. */
const MANY_SPANS = 256;
/** The most spans and measurements kept before the exporting thread starts. The loss of further ones is reported. */
const MOST_HELD = 10_000;

/** The environment, the time limit and the function for messages that a run's telemetry uses. */
export interface TelemetryParts {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether this process continues the trace of the program that started it. */
  readonly joins: boolean;
  /** The longest wait at the end of the run until everything is sent, in ms. */
  readonly lastMs: number;
  /** Shows a line to the person. Is called at most once in a run. */
  tell(line: string): void;
}

/** Starts the telemetry of this run; undefined if OpenTelemetry's variables ask for none. */
export function openTelemetry(parts: TelemetryParts): Telemetry | undefined {
  const { settings, problems } = readVariables(parts.env, VERSION);
  const telemetry = settings && new Telemetry(settings, parts);
  const [first] = problems;
  if (telemetry !== undefined && first !== undefined) telemetry.problem(first);
  else if (first !== undefined) parts.tell(`warning: ${first}`);
  return telemetry;
}

/**
 * Records spans and measurements and passes them to a separate thread that exports them. The thread starts when the
 * first reply streams, so that neither launch nor requests wait for the SDK. Until then, both are kept here.
 */
export class Telemetry {
  readonly #settings: TelemetrySettings;
  readonly #parts: TelemetryParts;
  #held: Recorded[] = [];
  #metrics: MeasurementRecorder | undefined;
  /** The number of spans and measurements that have not been passed on yet. */
  #count = 0;
  #worker: Worker | undefined;
  #isDead = false;
  #handOver: NodeJS.Timeout | undefined;
  #hasTold = false;

  constructor(settings: TelemetrySettings, parts: TelemetryParts) {
    this.#settings = settings;
    this.#parts = parts;
    for (const target of [settings.exports.traces, settings.exports.metrics])
      for (const value of Object.values(target?.headers ?? {})) keepSecret("OTEL_EXPORTER_OTLP_HEADERS", value);
  }

  /** Observes all sessions of a runtime. */
  watch(runtime: HookRuntime): void {
    const { exports, sampling, content } = this.#settings;
    const take = (recorded: Recorded): void => {
      if (this.#admits() && this.#held.push(recorded) >= MANY_SPANS) this.#passSpans();
    };
    if (exports.metrics !== undefined) this.#metrics = new MeasurementRecorder(take, () => this.#admits());
    instrument(runtime, {
      ...(exports.traces !== undefined && { tracer: recordingTracer(sampling, take) as Tracer }),
      ...(this.#metrics !== undefined && { meter: this.#metrics.meter }),
      contexts: followedContexts(this.#parts.joins ? contextOf(this.#parts.env) : ROOT_CONTEXT),
      content,
    });
  }

  /** Starts the exporting thread. Best called while the program waits for something else. */
  start(): void {
    if (this.#worker !== undefined || this.#isDead) return;
    const start: WorkerStart = {
      settings: this.#settings.exports,
      scope: { name: SCOPE, version: VERSION, schemaUrl: CONVENTIONS.schemaUrl },
    };
    const file = import.meta.url.endsWith(".ts") ? "./worker.ts" : "./telemetry-worker.js";
    // The worker gets no environment, so that the SDK does not read the variables a second time.
    const worker = new Worker(new URL(file, import.meta.url), {
      workerData: start,
      env: {},
      stdout: true,
      stderr: true,
    });
    worker.unref();
    worker.on("message", (message: FromWorker) => message.type === "problem" && this.problem(message.text));
    worker.on("error", (error) => {
      this.#isDead = true;
      this.problem(`Telemetry is not exported: its thread ended (${error.message}).`);
    });
    this.#worker = worker;
    this.#pass();
  }

  /** Exports what is left, and waits for that for a limited time. */
  async close(): Promise<void> {
    clearTimeout(this.#handOver);
    if (this.#worker === undefined && this.#count === 0) return;
    this.start();
    const worker = this.#worker;
    if (worker === undefined || this.#isDead) return;
    this.#pass();
    const { lastMs } = this.#parts;
    worker.ref();
    const flushed = Promise.withResolvers<void>();
    worker.on("message", (message: FromWorker) => message.type === "flushed" && flushed.resolve());
    worker.on("error", () => flushed.resolve());
    const late = setTimeout(() => {
      this.problem(`Telemetry is not complete: the rest could not be sent within ${lastMs / 1000} seconds.`);
      flushed.resolve();
    }, lastMs);
    this.#post({ type: "flush", untilMs: Date.now() + lastMs - REPORTING_MS });
    await flushed.promise;
    clearTimeout(late);
    this.#isDead = true;
    worker.unref();
    void worker.terminate();
  }

  /** Reports a problem to the person, but only the first one. */
  problem(text: string): void {
    if (this.#hasTold) return;
    this.#hasTold = true;
    this.#parts.tell(`warning: ${text}`);
  }

  /** Counts one more span or measurement; returns false if there is no room for it. */
  #admits(): boolean {
    if (this.#isDead) return false;
    if (this.#worker !== undefined) {
      if (this.#count >= MANY) this.#pass();
      this.#handOver ??= setTimeout(() => this.#pass(), HAND_OVER_MS).unref();
    } else if (this.#count >= MOST_HELD) {
      this.problem("Telemetry is not complete: more was recorded than could be sent.");
      return false;
    }
    this.#count += 1;
    return true;
  }

  #pass(): void {
    clearTimeout(this.#handOver);
    this.#handOver = undefined;
    const batch = [...this.#held, ...(this.#metrics?.drain() ?? [])];
    this.#held = [];
    this.#count = 0;
    if (batch.length > 0) this.#post({ type: "recorded", batch });
  }

  /** Passes on only the spans. Measurements wait, so that all with the same attributes become one message. */
  #passSpans(): void {
    if (this.#worker === undefined) return;
    const batch = this.#held;
    this.#held = [];
    this.#count -= batch.length;
    this.#post({ type: "recorded", batch });
  }

  #post(message: ToWorker): void {
    this.#worker?.postMessage(message);
  }
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Makes OpenTelemetry contexts that follow asynchronous work, starting with the one of the process. They are not
 * registered for the whole process, because an extension may bring its own SDK.
 */
function followedContexts(first: Context): Contexts {
  const store = new AsyncLocalStorage<Context>();
  return {
    active: () => store.getStore() ?? first,
    with: (context, work) => store.run(context, work),
  };
}

/** Reads the parent's trace context from `TRACEPARENT` and `TRACESTATE`. An invalid context counts as none. */
function contextOf(env: Env): Context {
  return new W3CTraceContextPropagator().extract(ROOT_CONTEXT, env, {
    get: (variables: Env, name) => variables[name.toUpperCase()],
    keys: (variables: Env) => Object.keys(variables),
  });
}
