import type { HookAsked } from "./api.ts";
import type { FullMoment } from "./moment-file.ts";

/** The part of a `HookAsked` that is recorded later for a hook in shadow, once it has answered. */
export type ShadowAnswer = Pick<HookAsked, "id" | "status" | "ms" | "answer" | "problem" | "stderr" | "would">;

/** A line that adds to an earlier moment. */
export interface Later {
  /** The answer of a person, or of a hook instead of a person. */
  readonly asked?: NonNullable<FullMoment["asked"]>;
  readonly shadow?: ShadowAnswer;
}

/** Returns a moment with the later lines about it; values from the moment's own line are kept. */
export function withLater(moment: FullMoment, later: readonly Later[]): FullMoment {
  let { hooks, asked } = moment;
  for (const { asked: said, shadow } of later) {
    asked ??= said;
    const at = hooks.findIndex((hook) => hook.shadow === true && hook.status === "asked" && hook.id === shadow?.id);
    if (at >= 0) hooks = hooks.map((hook, place) => (place === at ? { ...hook, ...shadow } : hook));
  }
  return later.length === 0 ? moment : { ...moment, hooks, ...(asked !== undefined && { asked }) };
}
