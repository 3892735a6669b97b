import type { CatalogRow } from "../catalog/row.ts";
import { place } from "../error/diagnostic.ts";
import type { Hook } from "../hook/hook.ts";
import type { Lane, LaneRow, Plan, Scene } from "../hook/lane.ts";

/** What would happen for an event. */
export interface Explanation {
  readonly event: string;
  /** The value that matchers are tested on, where the event has one. */
  readonly subject: unknown;
  readonly plan: readonly {
    readonly id: string;
    readonly dialect: string;
    readonly source: string;
    readonly order: number;
    readonly why: string;
  }[];
  readonly others: readonly { readonly id: string; readonly source: string; readonly why: string }[];
}

/** Works out the plan for a sample payload without running a hook. */
export function explain(
  row: CatalogRow,
  plan: Plan | undefined,
  all: readonly { readonly lane: Lane; readonly hook: Hook }[],
  payload: object,
  scene: Scene,
): Explanation {
  const planned: { id: string; dialect: string; source: string; order: number; why: string }[] = [];
  const others: { id: string; source: string; why: string }[] = [];
  const mentioned = new Set<Hook>();
  let order = 0;
  for (const { lane, row: cells, hooks } of plan?.stations ?? []) {
    const closed = passes(cells, payload, scene);
    for (const hook of hooks) {
      mentioned.add(hook);
      const about = { id: hook.id, source: place(hook.source) };
      const missed = closed ?? filtered(cells, hook, payload, scene);
      if (missed === undefined)
        planned.push({
          ...about,
          dialect: hook.source.dialect ?? lane.id,
          order: ++order,
          why: reason(lane, cells, hook),
        });
      else others.push({ ...about, why: missed });
    }
  }
  for (const { lane, hook } of all) {
    if (!mentioned.has(hook))
      others.push({
        id: hook.id,
        source: place(hook.source),
        why: `it listens to ${hook.event}, which in ${lane.id} is another event`,
      });
  }
  const subject = row.subject === undefined ? undefined : (payload as Record<string, unknown>)[row.subject];
  return { event: row.name, subject, plan: planned, others };
}

function passes(cells: LaneRow, payload: object, scene: Scene): string | undefined {
  try {
    return cells.when === undefined || cells.when(payload as never, scene)
      ? undefined
      : `${cells.name} is not this moment of ${cells.of}`;
  } catch {
    return undefined;
  }
}

function filtered(cells: LaneRow, hook: Hook, payload: object, scene: Scene): string | undefined {
  if (hook.match === undefined) return undefined;
  try {
    return hook.match(cells.view.get(payload as never, scene) as never)
      ? undefined
      : `its filter does not match: ${hook.filter ?? "a filter"}`;
  } catch {
    return undefined;
  }
}

function reason(lane: Lane, cells: LaneRow, hook: Hook): string {
  const parts = [`lane ${lane.id}`, `${cells.name}, ${cells.schedule}`];
  if (hook.filter !== undefined) parts.push(`filter ${hook.filter} matches`);
  return parts.join("; ");
}
