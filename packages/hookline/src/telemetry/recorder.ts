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

/** The value by which samplers of the SDK say that a span is exported. */
const SAMPLED = 2;

/**
 * Makes a tracer that only records. The SDK, which serializes spans, runs on another thread and is loaded later. Ids
 * and sampling are decided here, because hooks get them immediately.
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
      const startMs = msOf(options.startTime);
      const recorded: Begun = {
        type: "span",
        name,
        kind,
        traceId,
        spanId: spanContext.spanId,
        flags: spanContext.traceFlags,
        state: state?.serialize(),
        parent: parent && { spanId: parent.spanId, isRemote: parent.isRemote === true },
        startMs,
        endMs: startMs,
        // The caller makes a new object for each span, so it need not be copied.
        attributes,
        status: SpanStatusCode.UNSET,
      };
      return new NotedSpan(recorded, spanContext, take);
    },
  };
}

/** The fields of a span that has not ended. */
type Begun = { -readonly [Field in keyof EndedSpan]: EndedSpan[Field] };

/** A span that is passed on when it ends. Hookline uses no links, no events and no later renaming. */
class NotedSpan implements Span {
  readonly #recorded: Begun;
  readonly #context: SpanContext;
  readonly #take: Take;
  #isOver = false;

  constructor(recorded: Begun, context: SpanContext, take: Take) {
    this.#recorded = recorded;
    this.#context = context;
    this.#take = take;
  }

  spanContext(): SpanContext {
    return this.#context;
  }

  setAttribute(key: string, value: AttributeValue): this {
    this.#recorded.attributes[key] = value;
    return this;
  }

  setAttributes(attributes: Attributes): this {
    for (const key in attributes) if (attributes[key] !== undefined) this.#recorded.attributes[key] = attributes[key];
    return this;
  }

  setStatus({ code }: SpanStatus): this {
    this.#recorded.status = code;
    return this;
  }

  isRecording(): boolean {
    return !this.#isOver;
  }

  end(endTime?: TimeInput): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#recorded.endMs = msOf(endTime);
    this.#take(this.#recorded);
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

/** A meter that only records measurements. Those with the same attributes become one list of numbers. */
export class MeasurementRecorder {
  readonly meter: Meter;
  readonly #made: { readonly name: string; readonly series: Series }[] = [];

  /** `take` receives each new instrument. `admits` says before each measurement whether there is room for it. */
  constructor(take: Take, admits: () => boolean) {
    const made = (name: string, kind: "histogram" | "counter", options: MetricOptions = {}) => {
      take({
        type: "instrument",
        name,
        kind,
        unit: options.unit ?? "",
        description: options.description ?? "",
        bounds: options.advice?.explicitBucketBoundaries,
      });
      const series = new Series();
      this.#made.push({ name, series });
      return (value: number, attributes: Attributes = {}): void => {
        if (admits()) series.valuesOf(attributes).push(value);
      };
    };
    const meter: Pick<Meter, "createHistogram" | "createCounter"> = {
      createHistogram: (name, options) => ({ record: made(name, "histogram", options) }) as Histogram,
      createCounter: (name, options) => ({ add: made(name, "counter", options) }) as Counter,
    };
    // Instruments of other kinds, which hookline does not create, do nothing.
    this.meter = Object.assign(Object.create(createNoopMeter()) as Meter, meter);
  }

  /** Returns and removes the recorded measurements. */
  drain(): Measured[] {
    return this.#made.flatMap(({ name, series }) =>
      series.drain().map(([attributes, values]): Measured => ({ type: "measured", name, attributes, values })),
    );
  }
}

/** The values of one instrument, by their attributes. */
class Series {
  /** Finds values by the attributes object, without serializing it. A hook's durations all have the same object. */
  readonly #byObject = new Map<Attributes, number[]>();
  readonly #byText = new Map<string, number[]>();

  valuesOf(attributes: Attributes): number[] {
    const known = this.#byObject.get(attributes);
    if (known !== undefined) return known;
    const text = JSON.stringify(attributes);
    let values = this.#byText.get(text);
    if (values === undefined) {
      this.#byText.set(text, (values = []));
      this.#byObject.set(attributes, values);
    }
    return values;
  }

  drain(): [Attributes, number[]][] {
    const all = [...this.#byObject];
    this.#byObject.clear();
    this.#byText.clear();
    return all;
  }
}

function msOf(time: TimeInput | undefined): number {
  return typeof time === "number" ? time : performance.timeOrigin + performance.now();
}
