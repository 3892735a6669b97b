/**
 * Counters of one hook.
 *
 * Reading the clock costs as much as a quick handler. So if the last timed run was quick and the hook has not answered
 * since, the next runs count as equally quick, and one in 64 is timed. A run that is still pending at a deadline check
 * is always timed. Without this, a hundred observers cost more than in hookable.
 */
export interface HookMetrics {
  /** Attempts, retries included. */
  runs: number;
  ok: number;
  failed: number;
  timedOut: number;
  /** Failures that let something pass that the hook could have stopped or changed. */
  failedOpen: number;
  /** Filter misses. */
  skipped: number;
  blocked: number;
  edits: number;
  totalMs: number;
  /** The times of the latest runs in ms, at most 256, oldest overwritten first. */
  readonly recent: number[];
  lastError: string | undefined;
  /** The assumed duration of runs that are not timed; absent if each is timed. */
  quickMs: number | undefined;
  /** The index in `recent` for the next time. */
  next: number;
  /** Its counters in shadow; absent if it was never in shadow. */
  shadow: ShadowCounts | undefined;
}

/** What a hook in shadow would have done. */
export interface ShadowCounts {
  /** How often it was asked and its filter matched. */
  asked: number;
  wouldDeny: number;
  /** How often it would have asked a person. */
  wouldAsk: number;
  wouldEdit: number;
  /** Failures that would have refused also count in `wouldDeny`. */
  failed: number;
  /** Moments that were dropped, because too many were waiting or the session ended. */
  dropped: number;
  /** Effects that it tried to have besides its answer, by kind; none of them happened. */
  readonly effects: Record<string, number>;
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
    shadow: undefined,
  };
}

/** The counters of a hook in shadow, created on first use. */
export function shadowOf(metrics: HookMetrics): ShadowCounts {
  return (metrics.shadow ??= {
    asked: 0,
    wouldDeny: 0,
    wouldAsk: 0,
    wouldEdit: 0,
    failed: 0,
    dropped: 0,
    effects: {},
  });
}

/** Whether to time the next run. */
export function wantsTime({ quickMs, runs }: HookMetrics): boolean {
  return quickMs === undefined || runs % ONE_IN === 0;
}

/** Adds one run's time, if it was timed; returns the run's assumed duration. */
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
