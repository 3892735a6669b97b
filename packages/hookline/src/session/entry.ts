import type { Message } from "@hookline/runtime";
import type { AssistantMessage, Content, Usage } from "@hookline/runtime/engine";

/** Fields of each line after the header. `parentId` is null for a root; time is in ISO 8601. Source: spec/pi.md 6. */
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

/** The model for later requests. */
export interface ModelChangeEntry extends EntryBase {
  readonly type: "model_change";
  readonly provider: string;
  readonly modelId: string;
}

/** The thinking level for later requests. */
export interface ThinkingLevelChangeEntry extends EntryBase {
  readonly type: "thinking_level_change";
  readonly thinkingLevel: string;
}

/** A summary that replaces the part of the path before `firstKeptEntryId`. */
export interface CompactionEntry<T = unknown> extends EntryBase {
  readonly type: "compaction";
  readonly summary: string;
  /** The id of the first kept entry; the id of this entry itself if none is kept. */
  readonly firstKeptEntryId: string;
  readonly tokensBefore: number;
  readonly details?: T;
  readonly usage?: Usage;
  /** True if a hook wrote the summary. */
  readonly fromHook?: boolean;
  /** Fields that omp's hooks add (spec/omp.md 4.1). */
  readonly shortSummary?: string;
  readonly preserveData?: Readonly<Record<string, unknown>>;
  /** The thinking level at this entry, for a reader that starts at the end of the file and stops here. */
  readonly thinkingLevel?: string;
}

/** A summary of the branch that a move in the tree has left. */
export interface BranchSummaryEntry<T = unknown> extends EntryBase {
  readonly type: "branch_summary";
  /** The id of the leaf that was left, or `root`. */
  readonly fromId: string;
  readonly summary: string;
  readonly details?: T;
  readonly usage?: Usage;
  readonly fromHook?: boolean;
}

/** The state of an extension. A model never sees it. */
export interface CustomEntry<T = unknown> extends EntryBase {
  readonly type: "custom";
  readonly customType: string;
  readonly data?: T;
}

/** A message of an extension. Models see it as the user's. */
export interface CustomMessageEntry<T = unknown> extends EntryBase {
  readonly type: "custom_message";
  readonly customType: string;
  readonly content: string | readonly Content[];
  readonly display: boolean;
  readonly details?: T;
}

/** A bookmark on an entry. Without `label` it removes the bookmark. */
export interface LabelEntry extends EntryBase {
  readonly type: "label";
  readonly targetId: string;
  readonly label?: string;
}

/** The name of the session; empty to remove it. */
export interface SessionInfoEntry extends EntryBase {
  readonly type: "session_info";
  readonly name?: string;
}

/** Content that a context edit can put in place of a message's content. */
export type EditableContent = string | readonly Content[] | AssistantMessage["content"];

/** Changes what models see of one earlier entry. If `replacement` is null, they do not see the entry at all. */
export interface ContextEditEntry extends EntryBase {
  readonly type: "context_edit";
  readonly targetId: string;
  readonly replacement: { readonly content: EditableContent } | null;
}

/** Tokens that were used outside the conversation. */
export interface UsageEntry extends EntryBase {
  readonly type: "usage";
  readonly kind: string;
  readonly provider: string;
  readonly model: string;
  readonly usage: Usage;
  readonly note?: string;
}

/** One line of a session after its header. Entries of other types than these are kept in the file and ignored. */
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

/** A JSON object whose fields have not been checked. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a parsed line is an entry, that is, has a type and an id. Fields of the single types are not checked. */
export function isEntry(value: JsonObject): value is JsonObject & SessionEntry {
  const { type, id } = value;
  return typeof type === "string" && type !== "session" && typeof id === "string" && id !== "";
}

/** Returns the role of an entry's message; undefined for damaged entries and those without a message. */
export function roleOf(entry: SessionEntry): Message["role"] | undefined {
  if (entry.type !== "message") return undefined;
  const message: unknown = entry.message;
  return typeof message === "object" && message !== null ? (message as Message).role : undefined;
}
