import { isEntry, type JsonObject } from "./entry.ts";
import { isHeader, SESSION_VERSION } from "./header.ts";
import { newEntryId } from "./id.ts";

/**
 * Returns the format version of a file: the one in its header, otherwise 1. Entries with ids are never version 1,
 * whatever a damaged header says: migration would replace their ids.
 */
export function versionOf(lines: readonly JsonObject[]): number {
  const header = lines.find(isHeader);
  if (!header) return SESSION_VERSION;
  const said = typeof header.version === "number" ? header.version : undefined;
  if (said !== undefined && said >= 2) return said;
  if (!lines.some((line) => isEntry(line) && "parentId" in line)) return said ?? 1;
  return said === undefined ? SESSION_VERSION : 2;
}

/**
 * Converts the lines of an older file to the current format; returns the same array if nothing has to change. Entries
 * of version 1 get an id, the entry before as parent, and `firstKeptEntryId` instead of an index. The role
 * `hookMessage` becomes `custom`. Source: spec/pi.md 6, "Migrations".
 */
export function migrate(lines: readonly JsonObject[]): readonly JsonObject[] {
  const version = versionOf(lines);
  if (version >= SESSION_VERSION) return lines;
  return renameHookMessages(version < 2 ? chain(lines) : lines);
}

function chain(lines: readonly JsonObject[]): JsonObject[] {
  const taken = new Set<string>();
  const ids = lines.map((line) => {
    if (line["type"] === "session") return undefined;
    const id = newEntryId((candidate) => taken.has(candidate));
    taken.add(id);
    return id;
  });
  let parentId: string | null = null;
  return lines.map((line, index) => {
    const id = ids[index];
    if (id === undefined) return line;
    const entry: Record<string, unknown> = { ...line, id, parentId };
    parentId = id;
    if (line["type"] === "compaction" && typeof line["firstKeptEntryIndex"] === "number") {
      // The index counts all lines, including the header.
      const at = line["firstKeptEntryIndex"];
      const kept = at <= index ? ids[at] : undefined;
      if (kept !== undefined) entry["firstKeptEntryId"] = kept;
      delete entry["firstKeptEntryIndex"];
    }
    return entry;
  });
}

function renameHookMessages(lines: readonly JsonObject[]): JsonObject[] {
  return lines.map((line) => {
    if (line["type"] === "session") return { ...line, version: SESSION_VERSION };
    const message = line["message"];
    if (line["type"] !== "message" || typeof message !== "object" || message === null) return line;
    return (message as JsonObject)["role"] === "hookMessage"
      ? { ...line, message: { ...message, role: "custom" } }
      : line;
  });
}
