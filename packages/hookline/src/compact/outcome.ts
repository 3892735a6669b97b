import type { Entry, Usage } from "@hookline/runtime/engine";

/** The cause of a compaction. */
export type CompactionTrigger = "manual" | "threshold" | "overflow";

/** A compaction, as clients and hooks see it: pi's `CompactionResult`. */
export interface CompactionResult {
  readonly summary: string;
  readonly firstKeptEntryId: string;
  readonly tokensBefore: number;
  readonly estimatedTokensAfter?: number;
  readonly details?: unknown;
  readonly usage?: Usage;
}

/** The outcome of an attempt to make the context smaller. */
export type CompactionOutcome =
  | { readonly state: "done"; readonly result: CompactionResult; readonly entry: Entry; readonly fromHook: boolean }
  /** There is too little to summarise. */
  | { readonly state: "nothing" }
  /** A hook skipped the compaction; no failure is reported. */
  | { readonly state: "skipped" }
  /** A hook or the person stopped the compaction. */
  | { readonly state: "cancelled" }
  | { readonly state: "failed"; readonly error: string };

/** The parameters of one compaction. */
export interface CompactionRequest {
  readonly trigger: CompactionTrigger;
  /** The text that the person typed after `/compact`. */
  readonly focus?: string | undefined;
  readonly signal: AbortSignal;
  /** Whether the model request that was too long is sent again after the compaction. */
  readonly willRetry: boolean;
}
