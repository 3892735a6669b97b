/** The run time in milliseconds below which a run is quick. */
const QUICK_MS = 0.05;
/** The number of latest run times that are kept for each hook. */
const KEPT = 256;
const ONE_IN = 64;

/**
 * The counters of one hook.
 *
 * Reading the clock costs as much as a quick handler. So if the last timed run was quick and the hook has not answered
 * since, the next runs are assumed to be equally quick, and one in 64 is timed. A run that is still pending at a
 * deadline check is always timed. Without this, a hundred observers cost more than in hookable.
 */
export class HookMetrics {
  /** The number of attempts, including retries. */
  runs = 0;
  ok = 0;
  failed = 0;
  timedOut = 0;
  /** The number of failures that let something pass that the hook could have stopped or changed. */
  failedOpen = 0;
  /** The number of events that the hook's matcher did not match. */
  skipped = 0;
  blocked = 0;
  /** How often a person had to be asked because of the hook. */
  asks = 0;
  edits = 0;
  lastError: string | undefined;
  /** The counters of the hook in shadow; absent if it was never in shadow. */
  shadow: ShadowCounts | undefined;
  /** The duration in milliseconds that untimed runs are assumed to take; absent if every run is timed. */
  private quickMs: number | undefined;
  /** The number of untimed runs that are not yet included in `summedMs` and `kept`. */
  private untimed = 0;
  private summedMs = 0;
  private readonly kept: number[] = [];
  private next = 0;

  /** Whether the next run should be timed. */
  get wantsTime(): boolean {
    return this.quickMs === undefined || this.runs % ONE_IN === 0;
  }

  /** The run time of all runs together, in milliseconds. */
  get totalMs(): number {
    this.settle();
    return this.summedMs;
  }

  /** The latest run times in milliseconds, at most 256, in no order. */
  get recent(): readonly number[] {
    this.settle();
    return this.kept;
  }

  /**
   * Adds a run and returns its milliseconds: `timedMs`, or else the assumed time. `isSilent`: the hook had no answer.
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

  /** Returns a percentile of the latest run times, in milliseconds; 0 without runs. `share` is from 0 to 1. */
  percentile(share: number): number {
    const sorted = [...this.recent].sort((a, b) => a - b);
    return sorted[Math.min(Math.floor(share * sorted.length), sorted.length - 1)] ?? 0;
  }

  /** The counters of the hook in shadow, created on first use. */
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
  /** How often the hook was asked, its matcher having matched. */
  asked: number;
  wouldDeny: number;
  /** How often the hook would have asked a person. */
  wouldAsk: number;
  wouldEdit: number;
  /** The number of failed asks; if the failure would have refused, it counts in `wouldDeny` too. */
  failed: number;
  /** How often the hook was not asked or its answer not awaited: too many asks were waiting, or the session ended. */
  dropped: number;
  /** Effects other than an answer that the hook attempted in shadow, by kind; none took place. */
  readonly effects: Record<string, number>;
}
