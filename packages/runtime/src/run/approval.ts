import type { Author } from "./outcome.ts";

/** The tiers for which hooks of a tier may answer, beside their own. */
const BELOW: Readonly<Record<string, readonly string[]>> = {
  managed: ["user", "project", "session"],
  builtin: ["user", "project", "session"],
  user: ["project", "session"],
  project: [],
  session: [],
};

/**
 * Whether those who allow a call may answer all who have asked: each asker needs somebody of its own lane, of its own or
 * a higher tier. Where nobody is known to have asked, no hook may answer. Source: decision 75.
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
