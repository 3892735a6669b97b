import type { ContextEditEntry, EntryBase, SessionEntry } from "./entry.ts";

/** The fields of a new entry. Id, parent and time are added when the entry is made. */
export type EntryFields = SessionEntry extends infer E
  ? E extends SessionEntry
    ? Omit<E, keyof EntryBase>
    : never
  : never;

/** Makes an entry with its properties in a fixed order, so that files can be read without parsing every line. */
export function makeEntry(fields: EntryFields, base: EntryBase): SessionEntry {
  const { type, ...rest } = fields;
  const { id, parentId, timestamp } = base;
  return { type, id, parentId, timestamp, ...rest } as SessionEntry;
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Removes undefined fields, as JSON does. */
export function present<T extends object>(fields: T): Present<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>;
}

/** Throws pi's error if a context edit is invalid. `branch` is the path that the edit is on. */
export function checkEdit(
  targetId: string,
  replacement: ContextEditEntry["replacement"],
  branch: readonly SessionEntry[],
): void {
  const content = replacement?.content;
  if (replacement !== null && typeof content !== "string" && !Array.isArray(content)) {
    throw new Error("Context edit replacement must be null or contain string/array content");
  }
  const target = branch.find((entry) => entry.id === targetId);
  if (!target) throw new Error(`Entry ${targetId} is not on the active branch`);
  if (target.type === "custom_message" || (target.type === "message" && EDITABLE.has(target.message?.role))) return;
  throw new Error(`Entry ${targetId} does not contribute editable model content`);
}

const EDITABLE: ReadonlySet<string> = new Set(["user", "assistant", "toolResult"]);
