import type { Entry, Usage } from "@hookline/runtime/internal";

/** What has set a compaction off. */
export type CompactionTrigger = "manual" | "threshold" | "overflow";

/** A compaction as clients and hooks are told of it: pi's `CompactionResult`. */
export interface CompactionResult {
  readonly summary: string;
  readonly firstKeptEntryId: string;
  readonly tokensBefore: number;
  readonly estimatedTokensAfter?: number;
  readonly details?: unknown;
  readonly usage?: Usage;
}

/** What came of a wish to make the context smaller. */
export type CompactionOutcome =
  | { readonly state: "done"; readonly result: CompactionResult; readonly entry: Entry; readonly fromHook: boolean }
  /** There is too little to summarise. */
  | { readonly state: "nothing" }
  /** A hook left it out; nobody is told that anything failed. */
  | { readonly state: "skipped" }
  /** A hook or the person stopped it. */
  | { readonly state: "cancelled" }
  | { readonly state: "failed"; readonly error: string };

/** What one compaction is about. */
export interface CompactionRequest {
  readonly trigger: CompactionTrigger;
  /** The person's words behind `/compact`. */
  readonly focus?: string | undefined;
  readonly signal: AbortSignal;
  /** Whether the request that was too long is sent again afterwards. */
  readonly willRetry: boolean;
}
