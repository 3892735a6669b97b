import type { Plan, Scene, Station } from "../hook/lane.ts";
import { wouldOf } from "../run/would.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What hooks decided, in one word. */
export type Decision = "allow" | "ask" | "deny" | "edit" | "none";

/** The decision in a folded answer of a catalog row. */
export function decisionIn({ row }: Plan, answer: Fields): Decision {
  const would = wouldOf(row, answer);
  if (answer["decision"] === "allow" && would !== "deny") return "allow";
  return would ?? "none";
}

/** The decision in one hook's answer, which has its dialect's own shape. */
export function decisionOf(
  plan: Plan,
  { row: { fold, view } }: Station,
  said: unknown,
  { payload, scene }: { readonly payload: Fields; readonly scene: Scene },
): Decision {
  if (said === undefined) return "none";
  try {
    const result = fold.result(fold.step(fold.empty, said as never));
    const edit = view.put(result as never, payload as never, scene) as Fields | undefined;
    return edit === undefined ? "none" : decisionIn(plan, edit);
  } catch {
    // It was read and counted before; its decision alone is not known.
    return "edit";
  }
}
