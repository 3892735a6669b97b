import type { ItemKind } from "@hookline/runtime/engine";
import type { LoadReport } from "@hookline/runtime/session";

/** Counts the hooks that were found and those that run; rules, skills and other items are not counted. */
export function hookCounts({ sources }: LoadReport): { readonly found: number; readonly runs: number } {
  const hooks = sources.filter(({ kind }) => kind === undefined);
  return { found: hooks.length, runs: hooks.filter(({ state }) => state === "runs").length };
}

/** Lists how many items of each kind, other than hooks, need approval in the project: `2 skills wait for approval`. */
export function waitingItems({ sources }: LoadReport): string[] {
  const waiting = sources.filter(({ kind, state }) => kind !== undefined && state === "untrusted");
  if (waiting.length === 0) return [];
  const counts = [...Map.groupBy(waiting, ({ kind }) => kind as ItemKind)].map(([kind, { length }]) =>
    kind === "packages"
      ? `${length} list${length === 1 ? "" : "s"} of packages`
      : `${length} ${kind}${length === 1 ? "" : "s"}`,
  );
  return [`${counts.join(", ")} ${waiting.length === 1 ? "waits" : "wait"} for approval`];
}
