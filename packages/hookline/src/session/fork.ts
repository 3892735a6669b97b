import type { SessionEntry } from "./entry.ts";
import { textIn } from "./text.ts";
import type { Label } from "./tree.ts";

/**
 * Returns the entries of a new session with one path of another session, and the same ids. Labels are taken out of the
 * path; those that are still valid are set again at its end. If the first entry that a compaction keeps is a label, the
 * next entry becomes the first kept one. Source: spec/pi.md 6, "fork".
 */
export function forkedPath(
  path: readonly SessionEntry[],
  labels: ReadonlyMap<string, Label>,
  newId: (taken: (id: string) => boolean) => string,
): SessionEntry[] {
  const entries: SessionEntry[] = [];
  const movedTo = new Map<string, string>();
  let passed: string[] = [];
  let parentId: string | null = null;
  for (const entry of path) {
    if (entry.type === "label") {
      passed.push(entry.id);
      continue;
    }
    for (const id of passed) movedTo.set(id, entry.id);
    passed = [];
    const kept = entry.type === "compaction" ? movedTo.get(entry.firstKeptEntryId) : undefined;
    entries.push({ ...entry, parentId, ...(kept !== undefined && { firstKeptEntryId: kept }) });
    parentId = entry.id;
  }
  const ids = new Set(entries.map((entry) => entry.id));
  const targets = new Set(ids);
  for (const [targetId, { label, timestamp }] of labels) {
    if (!targets.has(targetId)) continue;
    const id = newId((candidate) => ids.has(candidate));
    ids.add(id);
    entries.push({ type: "label", id, parentId, timestamp, targetId, label });
    parentId = id;
  }
  return entries;
}

/** The result of a fork or a move: the new leaf, and the text that goes back into the editor. */
export interface Landing {
  /** The id of the new leaf; null means before the first entry. */
  readonly leafId: string | null;
  readonly text?: string;
}

/**
 * Finds where a fork starts: before a message of the user, whose text is returned, or with `at` after any entry.
 * Returns undefined if there is no such entry.
 */
export function forkLanding(
  entry: SessionEntry | undefined,
  position: "before" | "at" = "before",
): Landing | undefined {
  if (!entry) return undefined;
  if (position === "at") return { leafId: entry.id };
  if (entry.type !== "message" || entry.message?.role !== "user") return undefined;
  return { leafId: entry.parentId, text: textIn(entry.message.content, "") };
}

/** Finds where a move to an entry ends: before it if it is a message of the user or an extension, otherwise at it. */
export function treeLanding(entry: SessionEntry): Landing {
  if (entry.type === "custom_message") return { leafId: entry.parentId, text: textIn(entry.content, "") };
  return forkLanding(entry) ?? { leafId: entry.id };
}
