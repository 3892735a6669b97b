import type { Fields } from "@hookline/ground";
import { TIER_RANK, type Tier } from "@hookline/ground";
import type { AttributeRule } from "../catalog/row.ts";
import type { Plan, Scene } from "../hook/lane.ts";
import type { Author, HookRun } from "./outcome.ts";

/**
 * Returns the hooks whose answer alone would set the outcome's `field` to `value`, such as `ask`. A hook counts as one
 * if its answer cannot be folded again, or if it is not in the plan; then its tier is `unknown`, which `mayAllow` never
 * accepts.
 */
export function attributed(
  { field, value }: AttributeRule,
  { stations }: Plan,
  runs: readonly HookRun[],
  event: { readonly payload: Fields; readonly scene: Scene },
): { readonly by: readonly Author[]; readonly byHooks: readonly string[] } {
  const authors = new Map<string, Author>();
  const hooks = new Set<string>();
  for (const { hook: id, lane, answer } of runs) {
    if (answer === undefined) continue;
    const station = stations.find((one) => one.lane.id === lane && one.hooks.some((hook) => hook.id === id));
    const hook = station?.hooks.find((one) => one.id === id);
    let says = true;
    if (station !== undefined) {
      const { fold, view } = station.row;
      try {
        const result = fold.result(fold.step(fold.empty, answer as never));
        const edit = view.put(result as never, event.payload as never, event.scene) as Fields | undefined;
        says = edit?.[field] === value;
      } catch {
        // The answer cannot be folded again: `says` stays true, so the hook counts as an author of the outcome.
      }
    }
    const author = { lane, tier: hook?.source.tier ?? "unknown" };
    if (!says) continue;
    authors.set(`${lane} ${author.tier}`, author);
    hooks.add(id);
  }
  return { by: [...authors.values()], byHooks: [...hooks] };
}

/**
 * Returns whether hooks that allow a call may answer those that asked. For each asking hook, one in the same lane and
 * of the same or a higher tier must allow. Returns false if no asking hook is known (ruling 75).
 */
export function mayAllow(allowedBy: readonly Author[], askedBy: readonly Author[]): boolean {
  if (askedBy.length === 0) return false;
  return askedBy.every((asker) =>
    allowedBy.some(
      ({ lane, tier }) =>
        lane === asker.lane &&
        isTier(tier) &&
        isTier(asker.tier) &&
        (tier === asker.tier || TIER_RANK[tier] < TIER_RANK[asker.tier]),
    ),
  );
}

function isTier(tier: string): tier is Tier {
  return Object.hasOwn(TIER_RANK, tier);
}
