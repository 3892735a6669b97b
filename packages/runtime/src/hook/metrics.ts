/**
 * Counters of one hook.
 *
 * A look at the clock costs as much as a quick handler. So where the last timed run was quick and the hook has said
 * nothing since, the next runs are taken to have been as quick, and one in 64 is timed. A run that is still waited for
 * when the deadlines are looked at is always timed. Without this, a hundred observers cost more than in hookable.
 */
export interface HookMetrics {
  /** Attempts, retries included. */
  runs: number;
  ok: number;
  failed: number;
  timedOut: number;
  /** Failures that let go on what the hook could have stopped or changed. */
  failedOpen: number;
  /** Filter misses. */
  skipped: number;
  blocked: number;
  edits: number;
  totalMs: number;
  /** The times of the latest runs in ms, at most 256, oldest overwritten first. */
  readonly recent: number[];
  lastError: string | undefined;
  /** What a run is taken to have lasted that is not timed; absent where each is timed. */
  quickMs: number | undefined;
  /** Where the next time goes in `recent`. */
  next: number;
}

const KEPT = 256;
/** A run below this is quick. */
const QUICK_MS = 0.05;
const ONE_IN = 64;

/** The numbers of a hook that has not run yet. */
export function createMetrics(): HookMetrics {
  return {
    runs: 0,
    ok: 0,
    failed: 0,
    timedOut: 0,
    failedOpen: 0,
    skipped: 0,
    blocked: 0,
    edits: 0,
    totalMs: 0,
    recent: [],
    lastError: undefined,
    quickMs: undefined,
    next: 0,
  };
}

/** Whether the next run is to be timed. */
export function wantsTime({ quickMs, runs }: HookMetrics): boolean {
  return quickMs === undefined || runs % ONE_IN === 0;
}

/** Adds one run's time, where it was timed; gives what the run is taken to have lasted. */
export function addTime(metrics: HookMetrics, timedMs: number | undefined): number {
  const ms = timedMs ?? metrics.quickMs ?? 0;
  if (timedMs !== undefined) metrics.quickMs = timedMs < QUICK_MS ? timedMs : undefined;
  metrics.totalMs += ms;
  metrics.recent[metrics.next] = ms;
  metrics.next = (metrics.next + 1) % KEPT;
  return ms;
}

/** The given share of the recent run times, in ms; 0 without runs. */
export function percentile({ recent }: HookMetrics, share: number): number {
  const sorted = [...recent].sort((a, b) => a - b);
  return sorted[Math.min(Math.floor(share * sorted.length), sorted.length - 1)] ?? 0;
}
