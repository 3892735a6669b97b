import type { ItemKind } from "@hookline/runtime/engine";
import type { LoadReport } from "@hookline/runtime/session";

/** How many hooks were found, and how many of them run, without rules, skills and the like. */
export function hookCounts({ sources }: LoadReport): { readonly found: number; readonly runs: number } {
  const hooks = sources.filter(({ kind }) => kind === undefined);
  return { found: hooks.length, runs: hooks.filter(({ state }) => state === "runs").length };
}

/** The project's items other than hooks that need approval, such as `2 skills wait for approval`. */
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
