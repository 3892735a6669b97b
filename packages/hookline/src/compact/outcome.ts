import type { Entry, Usage } from "@hookline/runtime/engine";

/** The trigger of a compaction. */
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
  /** A hook skipped it; no failure is reported. */
  | { readonly state: "skipped" }
  /** A hook or the person stopped it. */
  | { readonly state: "cancelled" }
  | { readonly state: "failed"; readonly error: string };

/** The parameters of one compaction. */
export interface CompactionRequest {
  readonly trigger: CompactionTrigger;
  /** The person's text after `/compact`. */
  readonly focus?: string | undefined;
  readonly signal: AbortSignal;
  /** Whether the overlong request is sent again afterwards. */
  readonly willRetry: boolean;
}
