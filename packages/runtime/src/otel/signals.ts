import {
  type Attributes,
  type Context,
  type Counter,
  context,
  createNoopMeter,
  type Histogram,
  type Meter,
  type MeterProvider,
  metrics,
  type Tracer,
  type TracerProvider,
  trace,
} from "@opentelemetry/api";
import type { Hook } from "../hook/hook.ts";
import type { Plan } from "../hook/lane.ts";
import { CONVENTIONS, HOOKLINE, METRICS, SCOPE } from "./names.ts";

/** The way to find the trace context of the current work. If a host has none, the API's own is used. */
export interface Contexts {
  active(): Context;
  with<T>(context: Context, work: () => T): T;
}

/** The receivers of telemetry. Default: whatever is registered with `@opentelemetry/api`, now or later. */
export interface InstrumentOptions {
  readonly tracer?: Tracer;
  readonly meter?: Meter;
  /** Carries context across asynchronous work. Default: the registered context manager. */
  readonly contexts?: Contexts;
  /** Whether spans contain prompts, replies, arguments and results. Default false. */
  readonly content?: boolean;
}

/** The instruments that measure hooks and models. */
export interface Instruments {
  readonly hookDuration: Histogram;
  readonly decisions: Counter;
  readonly failures: Counter;
  readonly tokenUsage: Histogram;
  readonly operationDuration: Histogram;
}

/** Bucket bounds that the GenAI conventions recommend: `TOKENS` in tokens, `SECONDS` in seconds. */
const TOKENS = Array.from({ length: 14 }, (_, power) => 4 ** power);
const SECONDS = Array.from({ length: 14 }, (_, power) => 0.01 * 2 ** power);
/**
 * Bucket bounds in seconds: a hook in this process takes microseconds, a program milliseconds, a model that judges
 * seconds.
 */
const HOOK_SECONDS = [0.0001, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/**
 * The symbol under which every copy of the API keeps what is registered. Asking the API for a provider takes several
 * times as long as a look-up by the symbol, and each event does it.
 */
const REGISTERED = Symbol.for("opentelemetry.js.api.1");

/** Finds the receivers of signals, if there are any. An SDK may be registered at any time. */
export class Signals {
  readonly contexts: Contexts;
  readonly #version: string;
  #tracer: Tracer | undefined;
  #instruments: Instruments | undefined;
  /** The last meter provider that was asked: it had no SDK behind it, so it is not asked again. */
  #deaf: MeterProvider | undefined;

  constructor({ tracer, meter, contexts = context }: InstrumentOptions, version: string) {
    this.contexts = contexts;
    this.#version = version;
    this.#tracer = tracer;
    if (meter !== undefined) this.#instruments = instruments(meter);
  }

  /** Whether there is no receiver for signals. Costs next to nothing while no SDK is registered. */
  get isOff(): boolean {
    if (this.#tracer !== undefined || this.#instruments !== undefined) return false;
    if (!(REGISTERED in globalThis)) return true;
    return this.tracer === undefined && this.instruments === undefined;
  }

  /** The tracer, once an SDK is registered. */
  get tracer(): Tracer | undefined {
    return (this.#tracer ??= this.#lookForTracer());
  }

  /** The instruments, once an SDK is registered. */
  get instruments(): Instruments | undefined {
    return (this.#instruments ??= this.#lookForMeter());
  }

  #lookForTracer(): Tracer | undefined {
    const provider = trace.getTracerProvider() as TracerProvider & Partial<Delegating>;
    if (provider.getDelegateTracer !== undefined)
      return provider.getDelegateTracer(SCOPE, this.#version, { schemaUrl: CONVENTIONS.schemaUrl });
    return provider.getTracer(SCOPE, this.#version, { schemaUrl: CONVENTIONS.schemaUrl });
  }

  #lookForMeter(): Instruments | undefined {
    const provider = metrics.getMeterProvider();
    if (provider === this.#deaf) return undefined;
    const meter = provider.getMeter(SCOPE, this.#version, { schemaUrl: CONVENTIONS.schemaUrl });
    this.#deaf = provider;
    return meter === createNoopMeter() ? undefined : instruments(meter);
  }
}

/** Returns the attributes that all measurements of a hook have. */
export function measuredOf({ row }: Plan, { id }: Hook): Attributes {
  return { [HOOKLINE.event]: row.name, [HOOKLINE.hook]: id };
}

/** The API's own provider, whose `getDelegateTracer` returns `undefined` while no SDK is registered. */
interface Delegating {
  getDelegateTracer(name: string, version?: string, options?: { readonly schemaUrl: string }): Tracer | undefined;
}

function instruments(meter: Meter): Instruments {
  const histogram = ({ name, unit }: Named, description: string, bounds: readonly number[]): Histogram =>
    meter.createHistogram(name, { unit, description, advice: { explicitBucketBoundaries: [...bounds] } });
  const counter = ({ name, unit }: Named, description: string): Counter =>
    meter.createCounter(name, { unit, description });
  return {
    hookDuration: histogram(METRICS.hookDuration, "How long hooks take, one attempt each", HOOK_SECONDS),
    decisions: counter(METRICS.decisions, "What hooks decided"),
    failures: counter(METRICS.failures, "Hooks that failed, by the code of the failure"),
    tokenUsage: histogram(METRICS.tokenUsage, "Tokens of requests to models", TOKENS),
    operationDuration: histogram(METRICS.operationDuration, "How long requests to models take", SECONDS),
  };
}

interface Named {
  readonly name: string;
  readonly unit: string;
}
