import type { Message } from "@hookline/runtime";
import type { ContextEditEntry, EditableContent, SessionEntry } from "./entry.ts";

/** A model, by the names that session entries use. */
export interface SessionModel {
  readonly provider: string;
  readonly modelId: string;
}

/** The messages and settings of the next request. */
export interface SessionContext {
  readonly messages: Message[];
  /** The thinking level; `off` unless an entry sets another one. */
  readonly thinkingLevel: string;
  readonly model: SessionModel | null;
}

/** The content of the next request, with the session entry that each message comes from. */
export interface SessionProjection extends SessionContext {
  readonly entries: { readonly sourceEntry: SessionEntry; readonly messages: Message[] }[];
}

/** The thinking level and model that the entries on a part of a path set; absent if no entry sets them. */
export interface PathSettings {
  readonly thinkingLevel?: string;
  readonly model?: SessionModel;
}

/**
 * Returns the entries that make up the context of a path from a root to a leaf. If there is a compaction on the path,
 * these are the last compaction, the entries before it from `firstKeptEntryId` on, and the entries after it. Source:
 * spec/pi.md 6, "buildSessionContext".
 */
export function contextEntries(path: readonly SessionEntry[]): SessionEntry[] {
  const at = path.findLastIndex((entry) => entry.type === "compaction");
  const compaction = path[at];
  if (compaction?.type !== "compaction") return [...path];
  const kept = path.findIndex((entry) => entry.id === compaction.firstKeptEntryId);
  return [compaction, ...(kept === -1 ? [] : path.slice(kept, Math.max(kept, at))), ...path.slice(at + 1)];
}

/** Builds the context of a path, message by message. Context edits change the messages here, not the entries. */
export function projectPath(path: readonly SessionEntry[]): SessionProjection {
  const selected = contextEntries(path);
  const edits = new Map<string, ContextEditEntry>();
  for (const entry of selected) if (entry.type === "context_edit") edits.set(entry.targetId, entry);
  const entries = selected.map((sourceEntry, index) => ({
    sourceEntry,
    // The kept entries may include an older compaction. The latest one, which is first here, replaces it.
    messages:
      sourceEntry.type === "compaction" && index > 0
        ? []
        : edited(entryMessages(sourceEntry), edits.get(sourceEntry.id)),
  }));
  const { thinkingLevel = "off", model = null } = settingsOf(path);
  return { entries, messages: entries.flatMap((entry) => entry.messages), thinkingLevel, model };
}

/** Returns the last thinking level and model in a part of a path. An assistant message sets the model too. */
export function settingsOf(path: readonly SessionEntry[]): PathSettings {
  let thinkingLevel: string | undefined;
  let model: SessionModel | undefined;
  for (let index = path.length - 1; index >= 0 && (thinkingLevel === undefined || !model); index--) {
    const entry = path[index];
    const setting = entry ? settingOf(entry) : NOTHING;
    thinkingLevel ??= setting.thinkingLevel;
    model ??= setting.model;
  }
  return { ...(thinkingLevel !== undefined && { thinkingLevel }), ...(model && { model }) };
}

const NOTHING: PathSettings = {};

/** Returns the thinking level or model that one entry sets. */
export function settingOf(entry: SessionEntry): PathSettings {
  if (entry.type === "thinking_level_change") return { thinkingLevel: entry.thinkingLevel };
  if (entry.type === "compaction" && typeof entry.thinkingLevel === "string")
    return { thinkingLevel: entry.thinkingLevel };
  if (entry.type === "model_change") return { model: { provider: entry.provider, modelId: entry.modelId } };
  if (entry.type === "message" && entry.message?.role === "assistant") {
    return { model: { provider: entry.message.provider, modelId: entry.message.model } };
  }
  return NOTHING;
}

/** Returns the messages that one entry adds to a context. Omits system messages: each request builds its own. */
export function entryMessages(entry: SessionEntry): Message[] {
  switch (entry.type) {
    case "message":
      return storedMessage(entry.message);
    case "custom_message": {
      const { customType, display, details } = entry;
      const content = entry.content ?? [];
      return [
        {
          role: "custom",
          customType,
          content,
          display,
          ...(details === undefined ? {} : { details }),
          timestamp: timeOf(entry),
        },
      ];
    }
    case "branch_summary":
      return entry.summary
        ? [{ role: "branchSummary", summary: entry.summary, fromId: entry.fromId, timestamp: timeOf(entry) }]
        : [];
    case "compaction":
      return [
        {
          role: "compactionSummary",
          summary: entry.summary,
          tokensBefore: entry.tokensBefore,
          timestamp: timeOf(entry),
        },
      ];
    default:
      return [];
  }
}

/**
 * Builds the context of a leaf from a list of entries, like pi's function of this name. For null, which is before the
 * first entry, it is empty. An unknown or missing leaf means the last entry.
 */
export function buildSessionContext(
  entries: readonly SessionEntry[],
  leafId?: string | null,
  byId: ReadonlyMap<string, SessionEntry> = new Map(entries.map((entry) => [entry.id, entry])),
): SessionContext {
  if (leafId === null) return { messages: [], thinkingLevel: "off", model: null };
  const leaf = (leafId ? byId.get(leafId) : undefined) ?? entries.at(-1);
  const { messages, thinkingLevel, model } = projectPath(pathTo(leaf, (id) => byId.get(id)));
  return { messages, thinkingLevel, model };
}

/** Returns the entries from a root to `leaf`. The path ends at an unknown parent and at a cycle. */
export function pathTo(leaf: SessionEntry | undefined, get: (id: string) => SessionEntry | undefined): SessionEntry[] {
  const path: SessionEntry[] = [];
  const walked = new Set<string>();
  for (let entry = leaf; entry && !walked.has(entry.id); entry = entry.parentId ? get(entry.parentId) : undefined) {
    walked.add(entry.id);
    path.push(entry);
  }
  return path.reverse();
}

function storedMessage(message: Message | null | undefined): Message[] {
  // The content of messages is not checked when a file is read, and other programs write files too.
  if (typeof message !== "object" || message === null) return [];
  const role: string = message.role;
  if (role === "system") return [];
  if (
    (role === "user" || role === "assistant" || role === "toolResult") &&
    (message as { content?: unknown }).content == null
  ) {
    return [{ ...message, content: [] } as Message];
  }
  return [message];
}

function edited(messages: Message[], edit: ContextEditEntry | undefined): Message[] {
  if (!edit) return messages;
  const { replacement } = edit;
  if (replacement === null) return [];
  const content = replacement?.content;
  if (content === undefined) return messages;
  return messages.map((message) => withContent(message, content));
}

function withContent(message: Message, content: EditableContent): Message {
  const { role } = message;
  if (role !== "user" && role !== "assistant" && role !== "toolResult" && role !== "custom") return message;
  const asBlocks = typeof content === "string" && (role === "assistant" || role === "toolResult");
  return { ...message, content: asBlocks ? [{ type: "text", text: content }] : content } as Message;
}

function timeOf(entry: SessionEntry): number {
  const time = new Date(entry.timestamp).getTime();
  return Number.isNaN(time) ? 0 : time;
}

/** Makes thinking level and model getters. They call `read` at their first use, because it may read a file. */
export function settledLater(projection: SessionProjection, read: () => PathSettings): SessionProjection {
  let settings: PathSettings | undefined;
  const known = () => {
    settings ??= read();
    return settings;
  };
  return Object.defineProperties(projection, {
    thinkingLevel: { get: () => known().thinkingLevel ?? "off", enumerable: true, configurable: true },
    model: { get: () => known().model ?? null, enumerable: true, configurable: true },
  });
}

/** Copies the content of a request and its arrays. The getters of `settledLater` are copied as getters. */
export function ownCopy(projection: SessionProjection): SessionProjection {
  const entries = projection.entries.map(({ sourceEntry, messages }) => ({ sourceEntry, messages: [...messages] }));
  return withSettingsOf(projection, { entries, messages: [...projection.messages] });
}

/** Adds thinking level and model of `projection` to `rest`. The getters of `settledLater` stay getters. */
export function withSettingsOf<T extends object>(
  projection: SessionProjection,
  rest: T,
): T & Pick<SessionProjection, "thinkingLevel" | "model"> {
  const { thinkingLevel, model } = Object.getOwnPropertyDescriptors(projection);
  return Object.defineProperties(rest, { thinkingLevel, model }) as ReturnType<typeof withSettingsOf<T>>;
}

/**
 * Appends an entry to the content of the next request, and reuses the arrays of `projection`. Returns undefined if the
 * entry also changes earlier messages, as a compaction does. Replaces getters by their present values.
 */
export function extended(projection: SessionProjection, entry: SessionEntry): SessionProjection | undefined {
  if (entry.type === "compaction" || entry.type === "context_edit") return undefined;
  const { entries } = projection;
  const own = entryMessages(entry);
  entries.push({ sourceEntry: entry, messages: own });
  projection.messages.push(...own);
  return { ...projection, ...settingOf(entry) };
}
