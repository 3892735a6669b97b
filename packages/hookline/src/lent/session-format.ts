import { contextEntries, entryMessages, pathTo, projectPath, type SessionProjection } from "../session/context.ts";
import { type CompactionEntry, isEntry, type JsonObject, type SessionEntry } from "../session/entry.ts";
import { SESSION_VERSION } from "../session/header.ts";
import { migrate } from "../session/migrate.ts";

/** The format version of the session files that hookline writes. */
export const CURRENT_SESSION_VERSION = SESSION_VERSION;

/** Parses the lines of a session file; leaves out invalid lines. */
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

/** Migrates the entries of an older file, in place. */
export function migrateSessionEntries(entries: JsonObject[]): void {
  entries.splice(0, entries.length, ...migrate(entries));
}

/** Returns the messages that a model would be sent for a leaf, with their entries. Default: the last entry. */
export function buildSessionProjection(entries: readonly JsonObject[], leafId?: string | null): SessionProjection {
  return projectPath(pathIn(entries, leafId));
}

/** Returns the entries in a leaf's context: the last compaction, those it keeps, and all later ones. */
export function buildContextEntries(entries: readonly JsonObject[], leafId?: string | null): SessionEntry[] {
  return contextEntries(pathIn(entries, leafId));
}

/** Returns the messages that an entry adds to the context. */
export const sessionEntryToContextMessages = entryMessages;

/** Returns the latest compaction, or null. */
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
