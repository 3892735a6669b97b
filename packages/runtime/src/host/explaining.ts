import { catalog, type EventName } from "../catalog/catalog.ts";
import type { LoadReport } from "../config/report.ts";
import { HooklineError } from "../error/error.ts";
import { guess } from "../error/nearest.ts";
import type { Scene, Station } from "../hook/lane.ts";
import type { Registry } from "../hook/registry.ts";
import { type Explanation, explain, explainLane } from "../run/explain.ts";
import { withIdle } from "./station.ts";

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
