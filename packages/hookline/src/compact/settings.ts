/** When and how the context is made smaller. Source: design/cli.md, "Settings that behaviour depends on". */
export interface CompactionSettings {
  /** False switches the automatic ones off; `/compact` always works. */
  readonly enabled: boolean;
  /** `auto` writes one summary of everything old; `rolling` lets the model choose which messages go. */
  readonly strategy: "auto" | "rolling";
  /** Tokens that are kept free for the reply. */
  readonly reserveTokens: number;
  /** Tokens of the newest messages that a compaction leaves as they are. */
  readonly keepRecentTokens: number;
  /** Tokens over which a compaction is due; absent means the context window without `reserveTokens`. */
  readonly threshold?: number;
  /** Per cent of the threshold over which old tool results are folded. */
  readonly microAt: number;
}

/** What holds where the settings say nothing; the numbers are pi's (spec/pi.md 5.4). */
export const COMPACTION_DEFAULTS: CompactionSettings = {
  enabled: true,
  strategy: "auto",
  reserveTokens: 16_384,
  keepRecentTokens: 20_000,
  microAt: 60,
};

/** The two limits for a model, in tokens, and how many of the newest tokens stay. */
export interface Limits {
  readonly compactOver: number;
  readonly foldOver: number;
  readonly keep: number;
}

/** The limits for a context window. A window that is hardly larger than the reserve is used by half. */
export function limitsFor(settings: CompactionSettings, contextWindow: number): Limits {
  const room = Math.max(contextWindow - settings.reserveTokens, Math.floor(contextWindow / 2));
  const compactOver = Math.min(settings.threshold ?? room, contextWindow);
  return {
    compactOver,
    foldOver: Math.floor((compactOver * settings.microAt) / 100),
    keep: Math.min(settings.keepRecentTokens, Math.floor(compactOver / 2)),
  };
}
