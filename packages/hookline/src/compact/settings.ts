/** When and how the context is made smaller. Source: design/cli.md, "Settings that behaviour depends on". */
export interface CompactionSettings {
  /** False switches automatic compactions off; `/compact` always works. */
  readonly enabled: boolean;
  /** `auto` writes one summary of everything old; `rolling` lets the model choose which messages go. */
  readonly strategy: "auto" | "rolling";
  /** Tokens kept free for the reply. */
  readonly reserveTokens: number;
  /** Tokens of the newest messages that a compaction keeps. */
  readonly keepRecentTokens: number;
  /** Number of tokens above which a compaction is due; absent means the context window minus `reserveTokens`. */
  readonly threshold?: number;
  /** Per cent of the threshold above which old tool results are folded. */
  readonly microAt: number;
}

/** The defaults, with pi's numbers (spec/pi.md 5.4). */
export const COMPACTION_DEFAULTS: CompactionSettings = {
  enabled: true,
  strategy: "auto",
  reserveTokens: 16_384,
  keepRecentTokens: 20_000,
  microAt: 60,
};

/** The two limits for a model, in tokens, and how many of the newest tokens are kept. */
export interface Limits {
  readonly compactOver: number;
  readonly foldOver: number;
  readonly keep: number;
}

/** The limits for a context window. Of a window hardly larger than the reserve, half is used. */
export function limitsFor(settings: CompactionSettings, contextWindow: number): Limits {
  const room = Math.max(contextWindow - settings.reserveTokens, Math.floor(contextWindow / 2));
  const compactOver = Math.min(settings.threshold ?? room, contextWindow);
  return {
    compactOver,
    foldOver: Math.floor((compactOver * settings.microAt) / 100),
    keep: Math.min(settings.keepRecentTokens, Math.floor(compactOver / 2)),
  };
}
