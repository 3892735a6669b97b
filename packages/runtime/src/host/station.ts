import { catalog, type EventName } from "../catalog/catalog.ts";
import type { LoadReport } from "../config/report.ts";
import { HooklineError } from "../error/error.ts";
import { guess } from "../error/nearest.ts";
import type { Hook } from "../hook/hook.ts";
import type { Lane, Scene, Station } from "../hook/lane.ts";
import type { Registry } from "../hook/registry.ts";
import { type Explanation, explain, explainLane } from "../run/explain.ts";

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

/** What is known about a session's hooks. */
export interface ExplainParts {
  readonly registry: Registry;
  readonly scene: Scene;
  readonly report: LoadReport;
}

/** Which hooks would run for a catalog event, and why the others would not. Throws for an unknown event. */
export function explainEvent(
  event: EventName,
  payload: object,
  { registry, scene, report }: ExplainParts,
): Explanation {
  const row = catalog.get(event);
  if (row === undefined) throw new HooklineError("UNKNOWN_EVENT", { event, guess: guess(event, catalog.keys()) });
  return withIdle(explain(row, registry.plan(event), [...registry.all()], payload, scene), report);
}

/** The same for a lane's own event, in the dialect's shape. */
export function explainOfLane(station: Station, event: object, { registry, report }: ExplainParts): Explanation {
  const of = catalog.get(station.row.of);
  const isShadow = (hook: Station["hooks"][number]): boolean => registry.isShadow(hook);
  return withIdle(explainLane(station, of, [...registry.all()], event, isShadow), report);
}
