import type { Hook } from "./hook.ts";
import type { Plan, Station } from "./lane.ts";

/**
 * Returns a plan with only those hooks of each station that `kept` returns: the plan itself if all stay, `null` if none
 * does.
 */
export function narrowed(plan: Plan, kept: (station: Station) => readonly Hook[]): Plan | null {
  const narrow = ({ stations }: Plan): readonly Station[] =>
    stations.flatMap((station) => {
      const hooks = kept(station);
      if (hooks.length === station.hooks.length) return [station];
      return hooks.length === 0 ? [] : [{ ...station, hooks }];
    });
  const stations = narrow(plan);
  const shadows = plan.shadow === undefined ? [] : narrow(plan.shadow);
  const isWhole = isSame(stations, plan.stations) && isSame(shadows, plan.shadow?.stations ?? []);
  const shadow = shadows.length === 0 ? undefined : { row: plan.row, stations: shadows };
  if (stations.length === 0 && shadow === undefined) return null;
  return isWhole ? plan : { row: plan.row, stations, shadow };
}

function isSame(some: readonly Station[], all: readonly Station[]): boolean {
  return some.length === all.length && some.every((station, at) => station === all[at]);
}
