import type { Message } from "@hookline/runtime";
import type { AssistantMessage, Content, Usage } from "@hookline/runtime/engine";

/**
 * The fields of every session line after the header. Source: spec/pi.md 6. `parentId` is null at a root; the timestamp
 * is ISO 8601.
 */
export interface EntryBase {
  readonly id: string;
  readonly parentId: string | null;
  readonly timestamp: string;
}

/** A message of the conversation. */
export interface MessageEntry extends EntryBase {
  readonly type: "message";
  readonly message: Message;
}

/** The model of later requests. */
export interface ModelChangeEntry extends EntryBase {
  readonly type: "model_change";
  readonly provider: string;
  readonly modelId: string;
}

/** The thinking level of later requests. */
export interface ThinkingLevelChangeEntry extends EntryBase {
  readonly type: "thinking_level_change";
  readonly thinkingLevel: string;
}

/** A summary that replaces everything on the path before `firstKeptEntryId`. */
export interface CompactionEntry<T = unknown> extends EntryBase {
  readonly type: "compaction";
  readonly summary: string;
  /** The entry's own id if nothing before it is kept. */
  readonly firstKeptEntryId: string;
  readonly tokensBefore: number;
  readonly details?: T;
  readonly usage?: Usage;
  /** Set if a hook wrote the summary. */
  readonly fromHook?: boolean;
  /** Additions of omp's hooks (spec/omp.md 4.1). */
  readonly shortSummary?: string;
  readonly preserveData?: Readonly<Record<string, unknown>>;
  /** The level at this point, so that a file opened from its end need not be searched for it. */
  readonly thinkingLevel?: string;
}

/** A summary of the branch that was left behind when the leaf moved. */
export interface BranchSummaryEntry<T = unknown> extends EntryBase {
  readonly type: "branch_summary";
  /** The leaf that was left behind, or `root`. */
  readonly fromId: string;
  readonly summary: string;
  readonly details?: T;
  readonly usage?: Usage;
  readonly fromHook?: boolean;
}

/** State of an extension; never shown to a model. */
export interface CustomEntry<T = unknown> extends EntryBase {
  readonly type: "custom";
  readonly customType: string;
  readonly data?: T;
}

/** A message of an extension; models see it as the user's. */
export interface CustomMessageEntry<T = unknown> extends EntryBase {
  readonly type: "custom_message";
  readonly customType: string;
  readonly content: string | readonly Content[];
  readonly display: boolean;
  readonly details?: T;
}

/** A bookmark on an entry; without `label` it removes the bookmark. */
export interface LabelEntry extends EntryBase {
  readonly type: "label";
  readonly targetId: string;
  readonly label?: string;
}

/** The name of the session; an empty one clears it. */
export interface SessionInfoEntry extends EntryBase {
  readonly type: "session_info";
  readonly name?: string;
}

/** A context edit's replacement for a message's content. */
export type EditableContent = string | readonly Content[] | AssistantMessage["content"];

/** Changes or, with null, removes what models see of one earlier entry. */
export interface ContextEditEntry extends EntryBase {
  readonly type: "context_edit";
  readonly targetId: string;
  readonly replacement: { readonly content: EditableContent } | null;
}

/** Tokens that were spent outside the conversation. */
export interface UsageEntry extends EntryBase {
  readonly type: "usage";
  readonly kind: string;
  readonly provider: string;
  readonly model: string;
  readonly usage: Usage;
  readonly note?: string;
}

/**
 * One line of a session after its header.
 * Entries of a type that is not listed here are kept in place and ignored.
 */
export type SessionEntry =
  | MessageEntry
  | ModelChangeEntry
  | ThinkingLevelChangeEntry
  | CompactionEntry
  | BranchSummaryEntry
  | CustomEntry
  | CustomMessageEntry
  | LabelEntry
  | SessionInfoEntry
  | ContextEditEntry
  | UsageEntry;

/** An unchecked JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a parsed line can be in the tree: it has a type and an id. Type-specific fields are not checked. */
export function isEntry(value: JsonObject): value is JsonObject & SessionEntry {
  const { type, id } = value;
  return typeof type === "string" && type !== "session" && typeof id === "string" && id !== "";
}

/** The role of an entry's message; undefined for other entries and for damaged ones. */
export function roleOf(entry: SessionEntry): Message["role"] | undefined {
  if (entry.type !== "message") return undefined;
  const message: unknown = entry.message;
  return typeof message === "object" && message !== null ? (message as Message).role : undefined;
}
