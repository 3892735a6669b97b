/**
 * Says when a conversation is compacted, how, and how much of it is kept. Source: design/cli.md, "Settings that
 * behaviour depends on".
 */
export interface CompactionSettings {
  /** False switches automatic compactions off; `/compact` always works. */
  readonly enabled: boolean;
  /** `auto` writes one summary of everything old; `rolling` lets the model choose which messages go. */
  readonly strategy: "auto" | "rolling";
  /** Tokens kept free for the reply. */
  readonly reserveTokens: number;
  /** Tokens of the newest messages that a compaction keeps. */
  readonly keepRecentTokens: number;
  /** Number of tokens above which a compaction runs. Default: the context window minus `reserveTokens`. */
  readonly threshold?: number;
  /** Percentage of the threshold above which old tool results are replaced by short notes. */
  readonly microAt: number;
}

/** The defaults, which are pi's (spec/pi.md 5.4). */
export const COMPACTION_DEFAULTS: CompactionSettings = {
  enabled: true,
  strategy: "auto",
  reserveTokens: 16_384,
  keepRecentTokens: 20_000,
  microAt: 60,
};

/** The limits of a context, in tokens. Above `foldOver`, tool results become notes; compaction leaves about `keep`. */
export interface Limits {
  readonly compactOver: number;
  readonly foldOver: number;
  readonly keep: number;
}

/** Returns the limits for a context window. At least half of the window may be used, however large the reserve. */
export function limitsFor(settings: CompactionSettings, contextWindow: number): Limits {
  const room = Math.max(contextWindow - settings.reserveTokens, Math.floor(contextWindow / 2));
  const compactOver = Math.min(settings.threshold ?? room, contextWindow);
  return {
    compactOver,
    foldOver: Math.floor((compactOver * settings.microAt) / 100),
    keep: Math.min(settings.keepRecentTokens, Math.floor(compactOver / 2)),
  };
}
