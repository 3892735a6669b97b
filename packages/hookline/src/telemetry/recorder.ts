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
        // The caller makes a new object for each span and does not use it again.
        attributes,
        status: SpanStatusCode.UNSET,
      };
      return new NotedSpan(recorded, spanContext, take);
    },
  };
}

/** The recorded fields of a span that has not ended. */
type Begun = { -readonly [Field in keyof EndedSpan]: EndedSpan[Field] };

/** A span that is passed on when it ends. hookline does not use links, events or later renaming. */
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

/**
 * A meter that only records measurements. Those of one series are kept together: a hook's thousand durations become one
 * list of numbers for the exporting thread.
 */
export class MeasurementRecorder {
  readonly meter: Meter;
  readonly #made: { readonly name: string; readonly series: Series }[] = [];

  /** `take` gets each instrument; `admits` is asked before each measurement, and says whether there is room for it. */
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
    // Nothing creates other instruments.
    this.meter = Object.assign(Object.create(createNoopMeter()) as Meter, meter);
  }

  /** Returns the measurements since the last call, and forgets them. */
  drain(): Measured[] {
    return this.#made.flatMap(({ name, series }) =>
      series.drain().map(([attributes, values]): Measured => ({ type: "measured", name, attributes, values })),
    );
  }
}

/** The values of one instrument, by their attributes. */
class Series {
  /** With the first object that had these attributes. A hook's durations have the same one each time. */
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
