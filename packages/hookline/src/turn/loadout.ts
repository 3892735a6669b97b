import type { SessionManager } from "../session/session.ts";
import type { Core } from "./core.ts";

/** The type of the entries that record which tools are selected. */
const LOADOUT = "hookline-tools";

/**
 * Records the tool selection in the current branch if it has changed, so that a move in the tree, a fork and a resumed
 * session restore it. Records nothing until a hook has selected tools.
 */
export function recordTools({ store, selectedTools }: Core): void {
  const now = selectedTools();
  const before = recordedTools(store);
  if (JSON.stringify(now) !== JSON.stringify(before)) store.appendCustomEntry(LOADOUT, { tools: now ?? null });
}

/** Returns the tools that were selected at the end of the branch; undefined for the default tools. */
export function recordedTools(store: SessionManager): readonly string[] | undefined {
  const found = store
    .sharedProjection()
    .entries.findLast(({ sourceEntry }) => sourceEntry.type === "custom" && sourceEntry.customType === LOADOUT);
  const { tools } = (found?.sourceEntry as { readonly data?: { readonly tools?: unknown } } | undefined)?.data ?? {};
  return Array.isArray(tools) ? tools.filter((name) => typeof name === "string") : undefined;
}
