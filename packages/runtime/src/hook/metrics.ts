/**
 * Counters of one hook.
 *
 * A look at the clock costs as much as a quick handler. So of a hook whose last timed run was quick, which has neither
 * answered nor failed since, and which has no time limit of its own, one run in 256 is timed, and stands for the untimed
 * ones before it: in the total and in the percentiles. A run that is still waited for when the deadlines are swept is
 * always timed.
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
  /** The times of the latest timed runs in ms, at most 256, oldest overwritten first. */
  readonly recent: number[];
  /** How many runs each of `recent` stands for. */
  readonly weights: number[];
  lastError: string | undefined;
  /** Runs that ended untimed since one was timed. */
  untimed: number;
  /** Whether the last timed run was quick, and no run since has answered or failed. */
  quick: boolean;
  /** Whether every run is timed. */
  readonly exact: boolean;
  /** Where the next time goes in `recent`. */
  next: number;
}

const KEPT = 256;
/** A run below this is quick. */
const QUICK_MS = 0.05;
const ONE_IN = 256;

/** The numbers of a hook that has not run yet; with `exact` every run of it is timed. */
export function createMetrics(exact = false): HookMetrics {
  return {
    // What every run changes stands together.
    runs: 0,
    ok: 0,
    untimed: 0,
    quick: false,
    exact,
    failed: 0,
    timedOut: 0,
    failedOpen: 0,
    skipped: 0,
    blocked: 0,
    edits: 0,
    totalMs: 0,
    recent: [],
    weights: [],
    lastError: undefined,
    next: 0,
  };
}

/** Whether the next run is to be timed. */
export function wantsTime(metrics: HookMetrics): boolean {
  return !metrics.quick || metrics.untimed >= ONE_IN - 1;
}

/** Adds one run's time; it stands for the untimed runs before it unless it was timed because it took long. */
export function addTime(metrics: HookMetrics, ms: number, tookLong = false): void {
  const runs = tookLong ? 1 : metrics.untimed + 1;
  if (!tookLong) metrics.untimed = 0;
  metrics.quick = ms < QUICK_MS && !metrics.exact;
  metrics.totalMs += ms * runs;
  metrics.recent[metrics.next] = ms;
  metrics.weights[metrics.next] = runs;
  metrics.next = (metrics.next + 1) % KEPT;
}

/** The given share of the recent run times, in ms; 0 without runs. */
export function percentile(metrics: HookMetrics, share: number): number {
  const timed = metrics.recent.map((ms, i) => ({ ms, runs: metrics.weights[i] ?? 1 })).sort((a, b) => a.ms - b.ms);
  let rank = share * timed.reduce((sum, { runs }) => sum + runs, 0);
  for (const { ms, runs } of timed) {
    rank -= runs;
    if (rank < 0) return ms;
  }
  return timed.at(-1)?.ms ?? 0;
}
