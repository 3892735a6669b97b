import {
  type Attributes,
  type AttributeValue,
  type Context,
  type Counter,
  createNoopMeter,
  type Histogram,
  type Meter,
  type MetricOptions,
  type Span,
  type SpanContext,
  SpanKind,
  type SpanOptions,
  type SpanStatus,
  SpanStatusCode,
  type TimeInput,
  TraceFlags,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { RandomIdGenerator } from "@opentelemetry/sdk-trace";
import type { EndedSpan, Instrument, Measured } from "./message.ts";
import type { Sampling } from "./sampling.ts";

type Take = (recorded: EndedSpan | Instrument) => void;

const ids = new RandomIdGenerator();

/** The SDK samplers' decision for a span that is exported. */
const SAMPLED = 2;

/**
 * A tracer that only records what happens: the SDK, which serializes it, is loaded later and on another thread. Ids and
 * sampling are decided here, because hooks get them immediately.
 */
export function recordingTracer(sampling: Sampling, take: Take): Pick<Tracer, "startSpan"> {
  return {
    startSpan(name, options: SpanOptions = {}, context) {
      const parent = context && trace.getSpanContext(context);
      const traceId = parent?.traceId ?? ids.generateTraceId();
      const { kind = SpanKind.INTERNAL, attributes = {} } = options;
      const { decision, traceState } = sampling.shouldSample(context as Context, traceId, name, kind, attributes, []);
      const state = traceState ?? parent?.traceState;
      const spanContext: SpanContext = {
        traceId,
        spanId: ids.generateSpanId(),
        traceFlags: decision === SAMPLED ? TraceFlags.SAMPLED : TraceFlags.NONE,
        ...(state !== undefined && { traceState: state }),
      };
      if (decision !== SAMPLED) return trace.wrapSpanContext(spanContext);
      return new NotedSpan({ name, kind, spanContext, parent, startMs: msOf(options.startTime), attributes }, take);
    },
  };
}

interface Beginning {
  readonly name: string;
  readonly kind: SpanKind;
  readonly spanContext: SpanContext;
  readonly parent: SpanContext | undefined;
  readonly startMs: number;
  readonly attributes: Attributes;
}

/** A span that is passed on when it ends. hookline does not use links, events or later renaming. */
class NotedSpan implements Span {
  readonly #about: Beginning;
  readonly #take: Take;
  readonly #attributes: Attributes;
  #status: SpanStatusCode = SpanStatusCode.UNSET;
  #isOver = false;

  constructor(about: Beginning, take: Take) {
    this.#about = about;
    this.#take = take;
    // Whoever starts a span makes an object for it, and does not use that again.
    this.#attributes = about.attributes;
  }

  spanContext(): SpanContext {
    return this.#about.spanContext;
  }

  setAttribute(key: string, value: AttributeValue): this {
    this.#attributes[key] = value;
    return this;
  }

  setAttributes(attributes: Attributes): this {
    for (const key in attributes) if (attributes[key] !== undefined) this.#attributes[key] = attributes[key];
    return this;
  }

  setStatus({ code }: SpanStatus): this {
    this.#status = code;
    return this;
  }

  isRecording(): boolean {
    return !this.#isOver;
  }

  end(endTime?: TimeInput): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { name, kind, spanContext, parent, startMs } = this.#about;
    const { traceId, spanId, traceFlags, traceState } = spanContext;
    const ended: EndedSpan = {
      type: "span",
      name,
      kind,
      traceId,
      spanId,
      flags: traceFlags,
      state: traceState?.serialize(),
      parent: parent && { spanId: parent.spanId, isRemote: parent.isRemote === true },
      startMs,
      endMs: msOf(endTime),
      attributes: this.#attributes,
      status: this.#status,
    };
    this.#take(ended);
  }

  addEvent(): this {
    return this;
  }

  addLink(): this {
    return this;
  }

  addLinks(): this {
    return this;
  }

  updateName(): this {
    return this;
  }

  recordException(): void {}
}

/**
 * A meter that only records measurements. Those of one series are kept together: a hook's thousand durations become one
 * list of numbers for the exporting thread.
 */
export class MeasurementRecorder {
  readonly meter: Meter;
  readonly #admits: () => boolean;
  readonly #series = new Map<string, Map<Attributes, number[]>>();

  /** `take` gets each instrument; `admits` is asked before each measurement, and says whether there is room for it. */
  constructor(take: Take, admits: () => boolean) {
    this.#admits = admits;
    const made = (name: string, kind: "histogram" | "counter", options: MetricOptions = {}) => {
      take({
        type: "instrument",
        name,
        kind,
        unit: options.unit ?? "",
        description: options.description ?? "",
        bounds: options.advice?.explicitBucketBoundaries,
      });
      return (value: number, attributes: Attributes = {}): void => this.#measured(name, value, attributes);
    };
    const meter: Pick<Meter, "createHistogram" | "createCounter"> = {
      createHistogram: (name, options) => ({ record: made(name, "histogram", options) }) as Histogram,
      createCounter: (name, options) => ({ add: made(name, "counter", options) }) as Counter,
    };
    // Nothing creates other instruments.
    this.meter = Object.assign(Object.create(createNoopMeter()) as Meter, meter);
  }

  /** Returns the measurements since the last call, and forgets them. */
  drain(): Measured[] {
    const all = [...this.#series].flatMap(([name, series]) =>
      [...series].map(([attributes, values]): Measured => ({ type: "measured", name, attributes, values })),
    );
    this.#series.clear();
    return all;
  }

  #measured(name: string, value: number, attributes: Attributes): void {
    if (!this.#admits()) return;
    let series = this.#series.get(name);
    if (series === undefined) this.#series.set(name, (series = new Map()));
    const values = series.get(attributes);
    if (values === undefined) series.set(attributes, [value]);
    else values.push(value);
  }
}

function msOf(time: TimeInput | undefined): number {
  return typeof time === "number" ? time : performance.timeOrigin + performance.now();
}
