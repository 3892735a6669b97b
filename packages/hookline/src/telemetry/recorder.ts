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
import type { EndedSpan, Recorded } from "./message.ts";
import type { Sampling } from "./sampling.ts";

type Take = (recorded: Recorded) => void;

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
    this.#attributes = { ...about.attributes };
  }

  spanContext(): SpanContext {
    return this.#about.spanContext;
  }

  setAttribute(key: string, value: AttributeValue): this {
    this.#attributes[key] = value;
    return this;
  }

  setAttributes(attributes: Attributes): this {
    for (const [key, value] of Object.entries(attributes)) if (value !== undefined) this.#attributes[key] = value;
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

/** A meter that only records measurements. */
export function recordingMeter(take: Take): Meter {
  const measured =
    (name: string) =>
    (value: number, attributes: Attributes = {}): void =>
      take({ type: "measured", name, value, attributes });
  const made = (name: string, kind: "histogram" | "counter", options: MetricOptions = {}): void =>
    take({
      type: "instrument",
      name,
      kind,
      unit: options.unit ?? "",
      description: options.description ?? "",
      bounds: options.advice?.explicitBucketBoundaries,
    });
  const meter: Pick<Meter, "createHistogram" | "createCounter"> = {
    createHistogram(name, options): Histogram {
      made(name, "histogram", options);
      return { record: measured(name) } as Histogram;
    },
    createCounter(name, options): Counter {
      made(name, "counter", options);
      return { add: measured(name) } as Counter;
    },
  };
  // Nothing creates other instruments.
  return Object.assign(Object.create(createNoopMeter()) as Meter, meter);
}

function msOf(time: TimeInput | undefined): number {
  return typeof time === "number" ? time : performance.timeOrigin + performance.now();
}
