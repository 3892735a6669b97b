import type { LoadReport } from "../config/report.ts";
import { HooklineError } from "../error/error.ts";
import { guess } from "../error/nearest.ts";
import type { Hook } from "../hook/hook.ts";
import type { Lane, Station } from "../hook/lane.ts";
import type { Explanation } from "../run/explain.ts";

/** A lane's own event with its hooks, in order. Throws for an unknown lane or event, with the nearest name. */
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

/** Adds definitions that were found but do not run to an explanation. */
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
