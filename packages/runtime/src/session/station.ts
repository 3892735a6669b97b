import { guess, HooklineError, place } from "@hookline/ground";
import { catalog, type EventName } from "../catalog/catalog.ts";
import { isLoaded, type LoadReport } from "../config/report.ts";
import type { Hook } from "../hook/hook.ts";
import type { Lane, LaneRow, Scene, Station } from "../hook/lane.ts";
import type { Registry } from "../hook/registry.ts";
import { type Explanation, explain, explainLane, listening } from "../run/explain.ts";

/** Returns a lane's own event with its hooks, in order. Throws for an unknown lane or event, naming the nearest one. */
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

/**
 * Adds definitions that were found but do not run to an explanation's `others`. `isAbout` returns whether a row belongs
 * to the explained event.
 */
function withIdle(
  explanation: Explanation,
  { report, lanes }: ExplainParts,
  isAbout: (lane: Lane, row: LaneRow) => boolean,
): Explanation {
  const others = new Set(
    lanes.flatMap((lane) => lane.rows.flatMap((row) => (isAbout(lane, row) ? [] : [`${lane.id}:${row.name}`]))),
  );
  const idle = report.sources
    .filter((source) => !isLoaded(source))
    .map((source) => {
      const state = `${source.state}: ${source.reason ?? "it does not run"}`;
      const isOther = source.events.length > 0 && source.events.every((one) => others.has(`${source.lane}:${one}`));
      return {
        id: `${source.lane}:${source.path}${source.events.length > 0 ? `#${source.events.join(",")}` : ""}`,
        source: place(source),
        why: isOther ? `${listening(source.lane, source.events, explanation.event)}; ${state}` : state,
      };
    });
  return { ...explanation, others: [...explanation.others, ...idle] };
}

/** The hooks, lanes, scene and load report of a session, from which its hooks are explained. */
export interface ExplainParts {
  readonly registry: Registry;
  readonly scene: Scene;
  readonly report: LoadReport;
  readonly lanes: readonly Lane[];
}

/** Returns which hooks would run for a catalog event, and why the others would not. Throws for an unknown event. */
export function explainEvent(event: EventName, payload: object, parts: ExplainParts): Explanation {
  const row = catalog.get(event);
  if (row === undefined) throw new HooklineError("UNKNOWN_EVENT", { event, guess: guess(event, catalog.keys()) });
  const { registry, scene } = parts;
  const explanation = explain(row, registry.plan(event), [...registry.all()], payload, scene);
  return withIdle(explanation, parts, (_, { of }) => of === event);
}

/** Explains a lane's own event, in the dialect's form, as `explainEvent` does. */
export function explainOfLane(station: Station, event: object, parts: ExplainParts): Explanation {
  const { registry } = parts;
  const of = catalog.get(station.row.of);
  const isShadow = (hook: Station["hooks"][number]): boolean => registry.isShadow(hook);
  const explanation = explainLane(station, of, [...registry.all()], event, isShadow);
  return withIdle(explanation, parts, ({ id }, { name }) => id === station.lane.id && name === station.row.name);
}
