import type { SessionEntry } from "./entry.ts";
import type { SessionManager } from "./session.ts";

/** The entry that says which hooks have written a message of the user's role. */
const AUTHOR = "hookline-author";

/** Writes down which hooks have written the message of an entry, by file and line. */
export function recordAuthors(store: SessionManager, entryId: string, hooks: readonly string[]): void {
  store.appendCustomEntry(AUTHOR, { entryId, hooks });
}

/** The hooks behind messages, by the ids of the messages' entries. What is damaged names nobody. */
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
