/**
 * The current position in a trace, in the W3C's form, so that spans of another program join it. Source:
 * w3.org/TR/trace-context.
 */
export interface TraceContext {
  readonly traceparent: string;
  /** Vendors' additions; absent if there are none. */
  readonly tracestate?: string;
}

/** Headers and variables that carry a trace. A hook gets those of its own run, or none. */
const CARRIERS: readonly string[] = ["traceparent", "tracestate", "baggage"];

/** Whether a header or variable carries a trace or configures telemetry. Hooks inherit none of them. */
export function isTelemetry(name: string): boolean {
  const lower = name.toLowerCase();
  return lower.startsWith("otel_") || CARRIERS.includes(lower);
}
