/** A run below this many ms is quick. */
const QUICK_MS = 0.05;
/** How many run times are kept. */
const KEPT = 256;
const ONE_IN = 64;

/**
 * Counters of one hook.
 *
 * Reading the clock costs as much as a quick handler. So if the last timed run was quick and the hook has not answered
 * since, the next runs count as equally quick, and one in 64 is timed. A run that is still pending at a deadline check
 * is always timed. Without this, a hundred observers cost more than in hookable.
 */
export class HookMetrics {
  /** Attempts, retries included. */
  runs = 0;
  ok = 0;
  failed = 0;
  timedOut = 0;
  /** Failures that let something pass that the hook could have stopped or changed. */
  failedOpen = 0;
  /** Filter misses. */
  skipped = 0;
  blocked = 0;
  /** How often a person had to be asked because of it. */
  asks = 0;
  edits = 0;
  lastError: string | undefined;
  /** Its counters in shadow; absent if it was never in shadow. */
  shadow: ShadowCounts | undefined;
  /** The assumed duration of runs that are not timed, in ms; absent if each is timed. */
  private quickMs: number | undefined;
  /** The number of runs with that duration that are not in the sum and the list yet. */
  private untimed = 0;
  private summedMs = 0;
  private readonly kept: number[] = [];
  private next = 0;

  /** Whether to time the next run. */
  get wantsTime(): boolean {
    return this.quickMs === undefined || this.runs % ONE_IN === 0;
  }

  /** Run time of all runs, in ms. */
  get totalMs(): number {
    this.settle();
    return this.summedMs;
  }

  /** The times of the latest runs in ms, at most 256, in no order. */
  get recent(): readonly number[] {
    this.settle();
    return this.kept;
  }

  /**
   * Adds one run's time, if it was timed; returns the run's duration, which is otherwise the assumed one. `isSilent`:
   * the hook had nothing to say.
   */
  add(timedMs: number | undefined, isSilent: boolean): number {
    const ms = timedMs ?? this.quickMs ?? 0;
    if (timedMs === undefined && isSilent && this.quickMs !== undefined) {
      this.untimed += 1;
      return ms;
    }
    this.settle();
    this.keep(ms);
    this.quickMs = isSilent && ms < QUICK_MS ? timedMs : undefined;
    return ms;
  }

  /** The given share of the recent run times, in ms; 0 without runs. */
  percentile(share: number): number {
    const sorted = [...this.recent].sort((a, b) => a - b);
    return sorted[Math.min(Math.floor(share * sorted.length), sorted.length - 1)] ?? 0;
  }

  /** The counters in shadow, created on first use. */
  get inShadow(): ShadowCounts {
    return (this.shadow ??= {
      asked: 0,
      wouldDeny: 0,
      wouldAsk: 0,
      wouldEdit: 0,
      failed: 0,
      dropped: 0,
      effects: {},
    });
  }

  private settle(): void {
    for (; this.untimed > 0; this.untimed--) this.keep(this.quickMs ?? 0);
  }

  private keep(ms: number): void {
    this.summedMs += ms;
    this.kept[this.next] = ms;
    this.next = (this.next + 1) % KEPT;
  }
}

/** Counts of the effects that a hook in shadow would have had. */
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
