import type { SessionManager } from "../session/session.ts";
import type { Core } from "./core.ts";

/** The entry that records which tools are selected from there on. */
const LOADOUT = "hookline-tools";

/**
 * Writes the tool selection into the branch if it has changed, so that a move in the tree, a fork and a resumed session restore it. Nothing is
 * written as long as no hook has selected any tools.
 */
export function recordTools({ store, selectedTools }: Core): void {
  const now = selectedTools();
  const before = recordedTools(store);
  if (JSON.stringify(now) !== JSON.stringify(before)) store.appendCustomEntry(LOADOUT, { tools: now ?? null });
}

/** The tools selected at the end of the current branch; undefined for the usual ones. */
export function recordedTools(store: SessionManager): readonly string[] | undefined {
  const found = store
    .sharedProjection()
    .entries.findLast(({ sourceEntry }) => sourceEntry.type === "custom" && sourceEntry.customType === LOADOUT);
  const { tools } = (found?.sourceEntry as { readonly data?: { readonly tools?: unknown } } | undefined)?.data ?? {};
  return Array.isArray(tools) ? tools.filter((name) => typeof name === "string") : undefined;
}
