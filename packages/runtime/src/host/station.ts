import type { LoadReport } from "../config/report.ts";
import { HooklineError } from "../error/error.ts";
import { guess } from "../error/nearest.ts";
import type { Hook } from "../hook/hook.ts";
import type { Lane, Station } from "../hook/lane.ts";
import type { Explanation } from "../run/explain.ts";

/** One lane's own event with the hooks of it, in order. Throws for a lane or event that does not exist, with the nearest name. */
export function stationOf(
  lanes: readonly Lane[],
  hooks: readonly { readonly lane: string; readonly hook: Hook }[],
  laneId: string,
  name: string,
): Station {
  const lane = lanes.find(({ id }) => id === laneId);
  const row = lane?.rows.find((one) => one.name === name);
  if (lane === undefined || row === undefined) {
    const names = (lane === undefined ? lanes : [lane]).flatMap((one) =>
      one.rows.map((other) => `${one.id}:${other.name}`),
    );
    const event = `${laneId}:${name}`;
    throw new HooklineError("UNKNOWN_EVENT", { event, guess: guess(event, names) });
  }
  return {
    lane,
    row,
    hooks: hooks.flatMap((one) => (one.lane === laneId && one.hook.event === name ? [one.hook] : [])),
  };
}

/** Adds to an explanation what was found and does not run at all. */
export function withIdle(explanation: Explanation, report: LoadReport): Explanation {
  const idle = report.sources
    .filter(({ state }) => state !== "runs")
    .map((source) => ({
      id: `${source.lane}:${source.path}${source.events.length > 0 ? `#${source.events.join(",")}` : ""}`,
      source: source.line === undefined ? source.path : `${source.path}:${source.line}`,
      why: `${source.state}: ${source.reason ?? "it does not run"}`,
    }));
  return { ...explanation, others: [...explanation.others, ...idle] };
}
