import type { SessionEntry } from "./entry.ts";
import type { SessionManager } from "./session.ts";

/** The type of the entries that record which hooks have written a message with the role `user`. */
const AUTHOR = "hookline-author";

/** Records which hooks, by file and line, have written the message of an entry. */
export function recordAuthors(store: SessionManager, entryId: string, hooks: readonly string[]): void {
  store.appendCustomEntry(AUTHOR, { entryId, hooks });
}

/** Returns the hooks that have written messages, by the ids of the messages' entries. Ignores damaged records. */
export function recordedAuthors(entries: readonly SessionEntry[]): ReadonlyMap<string, readonly string[]> {
  const authors = new Map<string, readonly string[]>();
  for (const entry of entries) {
    if (entry.type !== "custom" || entry.customType !== AUTHOR) continue;
    const { entryId, hooks } = (entry.data ?? {}) as { readonly entryId?: unknown; readonly hooks?: unknown };
    if (typeof entryId !== "string" || !Array.isArray(hooks)) continue;
    authors.set(
      entryId,
      hooks.filter((hook) => typeof hook === "string"),
    );
  }
  return authors;
}
