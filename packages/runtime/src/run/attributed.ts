import type { AttributeRule } from "../catalog/row.ts";
import type { Plan, Scene } from "../hook/lane.ts";
import type { Author, HookRun } from "./outcome.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * The hooks whose own answer says what the outcome says. If an answer cannot be read again, its hook is included too; a
 * hook that cannot be found gets a tier that may decide nothing.
 */
export function attributed(
  { field, value }: AttributeRule,
  { stations }: Plan,
  runs: readonly HookRun[],
  event: { readonly payload: Fields; readonly scene: Scene },
): readonly Author[] {
  const authors = new Map<string, Author>();
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
        // It counts as saying so.
      }
    }
    const author = { lane, tier: hook?.source.tier ?? "unknown" };
    if (says) authors.set(`${lane} ${author.tier}`, author);
  }
  return [...authors.values()];
}
