/**
 * The current position in a trace, in the W3C's format, so that spans of another program join the trace. Source:
 * w3.org/TR/trace-context.
 */
export interface TraceContext {
  readonly traceparent: string;
  /** Additions by vendors; absent if there are none. */
  readonly tracestate?: string;
}

/** The headers and variables that carry a trace. A hook gets those of its own run, or none. */
const CARRIERS: readonly string[] = ["traceparent", "tracestate", "baggage"];

/** Returns whether a header or variable carries a trace or configures telemetry. Hooks inherit none of these. */
export function isTelemetry(name: string): boolean {
  const lower = name.toLowerCase();
  return lower.startsWith("otel_") || CARRIERS.includes(lower);
}
