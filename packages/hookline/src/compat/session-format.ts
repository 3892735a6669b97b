import { contextEntries, entryMessages, pathTo, projectPath, type SessionProjection } from "../session/context.ts";
import { type CompactionEntry, isEntry, type JsonObject, type SessionEntry } from "../session/entry.ts";
import { SESSION_VERSION } from "../session/header.ts";
import { migrate } from "../session/migrate.ts";

/** The version of the session files that are written. */
export const CURRENT_SESSION_VERSION = SESSION_VERSION;

/** Reads the lines of a session's text; those that are no JSON are left out. */
export function parseSessionEntries(content: string): JsonObject[] {
  return content.split("\n").flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      return typeof value === "object" && value !== null ? [value as JsonObject] : [];
    } catch {
      return [];
    }
  });
}

/** Brings the entries of an older file up to date, in place. */
export function migrateSessionEntries(entries: JsonObject[]): void {
  entries.splice(0, entries.length, ...migrate(entries));
}

/** What a model would be sent for a leaf, with the entry that each message comes from; without a leaf it is the last entry. */
export function buildSessionProjection(entries: readonly JsonObject[], leafId?: string | null): SessionProjection {
  return projectPath(pathIn(entries, leafId));
}

/** The entries of a path that its compaction has left in the context. */
export function buildContextEntries(entries: readonly JsonObject[], leafId?: string | null): SessionEntry[] {
  return contextEntries(pathIn(entries, leafId));
}

/** The messages that one entry puts into the context. */
export const sessionEntryToContextMessages = entryMessages;

/** The compaction that was made last, or null. */
export function getLatestCompactionEntry(entries: readonly SessionEntry[]): CompactionEntry | null {
  return entries.findLast((entry): entry is CompactionEntry => entry.type === "compaction") ?? null;
}

function pathIn(lines: readonly JsonObject[], leafId: string | null | undefined): SessionEntry[] {
  if (leafId === null) return [];
  const entries = lines.filter(isEntry);
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const leaf = (leafId === undefined ? undefined : byId.get(leafId)) ?? entries.at(-1);
  return pathTo(leaf, (id) => byId.get(id));
}
