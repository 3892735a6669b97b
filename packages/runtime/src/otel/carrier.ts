import { isSpanContextValid, type SpanContext } from "@opentelemetry/api";
import type { TraceContext } from "../port/trace-context.ts";

/** The trace context that makes a span the parent of another program's spans; undefined if the span is not valid. */
export function carrierOf(context: SpanContext): TraceContext | undefined {
  if (!isSpanContextValid(context)) return undefined;
  const { traceId, spanId, traceFlags, traceState } = context;
  const flags = (traceFlags & 0xff).toString(16).padStart(2, "0");
  const tracestate = traceState?.serialize() ?? "";
  return { traceparent: `00-${traceId}-${spanId}-${flags}`, ...(tracestate !== "" && { tracestate }) };
}
