import type { HookAsked } from "../../../hookline/src/inspect/api.ts";

const WOULD: Readonly<Record<NonNullable<HookAsked["would"]>, string>> = {
  deny: "would have refused",
  ask: "would have asked",
  edit: "would have changed something",
};

/** Describes the effect that the answer of a hook in shadow would have had; undefined if it has not answered yet. */
export function wouldOf({ status, would }: Pick<HookAsked, "status" | "would">): string | undefined {
  if (would !== undefined) return WOULD[would];
  return status === "answered" || status === "no-answer" ? "would have changed nothing" : undefined;
}
