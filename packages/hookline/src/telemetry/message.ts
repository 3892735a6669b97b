import type { Attributes, SpanKind, SpanStatusCode } from "@opentelemetry/api";
import type { ExportSettings } from "./variables.ts";

/** A finished span for the exporting thread. Times are in ms since 1970. */
export interface EndedSpan {
  readonly type: "span";
  readonly name: string;
  readonly kind: SpanKind;
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
  readonly state?: string | undefined;
  readonly parent?: { readonly spanId: string; readonly isRemote: boolean } | undefined;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  readonly status: SpanStatusCode;
}

/** An instrument that the main thread has created. */
export interface Instrument {
  readonly type: "instrument";
  readonly name: string;
  readonly kind: "histogram" | "counter";
  readonly unit: string;
  readonly description: string;
  readonly bounds?: readonly number[] | undefined;
}

/** Measurements with the same instrument and attributes. */
export interface Measured {
  readonly type: "measured";
  /** The name of the instrument. */
  readonly name: string;
  readonly attributes: Attributes;
  readonly values: readonly number[];
}

/** Everything that the main thread records. */
export type Recorded = EndedSpan | Instrument | Measured;

/** The data with which the exporting thread starts. */
export interface WorkerStart {
  readonly settings: ExportSettings;
  readonly scope: { readonly name: string; readonly version: string; readonly schemaUrl: string };
}

/** Messages from the main thread to the exporting one. */
export type ToWorker =
  | { readonly type: "recorded"; readonly batch: readonly Recorded[] }
  /** Export everything, then reply; at `untilMs` (ms since 1970), reply even if something is left. */
  | { readonly type: "flush"; readonly untilMs: number };

/** Messages from the exporting thread to the main one. */
export type FromWorker = { readonly type: "problem"; readonly text: string } | { readonly type: "flushed" };
