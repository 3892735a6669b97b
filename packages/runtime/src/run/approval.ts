import type { Author } from "./outcome.ts";

/** For hooks of each tier, the other tiers for which they may answer. */
const BELOW: Readonly<Record<string, readonly string[]>> = {
  managed: ["user", "project", "session"],
  builtin: ["user", "project", "session"],
  user: ["project", "session"],
  project: [],
  session: [],
};

/**
 * Whether those who allow a call may answer everyone who asked: each asker needs someone of its own lane and of its own
 * or a higher tier. If it is not known who asked, no hook may answer. Source: decision 75.
 */
export function mayAllow(allowedBy: readonly Author[], askedBy: readonly Author[]): boolean {
  if (askedBy.length === 0) return false;
  return askedBy.every((asker) =>
    allowedBy.some(
      ({ lane, tier }) =>
        lane === asker.lane && tier in BELOW && (tier === asker.tier || BELOW[tier]?.includes(asker.tier)),
    ),
  );
}
