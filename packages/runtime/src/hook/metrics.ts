/** Counters of one hook; the clock is coarse. */
export interface HookMetrics {
  /** Attempts, retries included. */
  runs: number;
  ok: number;
  failed: number;
  timedOut: number;
  /** Filter misses. */
  skipped: number;
  blocked: number;
  edits: number;
  totalMs: number;
  /** The latest run times in ms, at most 256, oldest overwritten first. */
  readonly recent: number[];
  lastError: string | undefined;
}

const KEPT = 256;

export function createMetrics(): HookMetrics {
  return {
    runs: 0,
    ok: 0,
    failed: 0,
    timedOut: 0,
    skipped: 0,
    blocked: 0,
    edits: 0,
    totalMs: 0,
    recent: [],
    lastError: undefined,
  };
}

/** Adds one run's time. */
export function addTime(metrics: HookMetrics, ms: number): void {
  metrics.totalMs += ms;
  if (metrics.recent.length < KEPT) metrics.recent.push(ms);
  else metrics.recent[metrics.runs % KEPT] = ms;
}

/** The given share of the recent run times, in ms; 0 without runs. */
export function percentile(metrics: HookMetrics, share: number): number {
  if (metrics.recent.length === 0) return 0;
  const sorted = [...metrics.recent].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] as number;
}
