import type { Message } from "@hookline/runtime";
import type { Content } from "@hookline/runtime/engine";
import type { SessionProjection } from "../session/context.ts";
import type { SessionManager } from "../session/session.ts";

interface ProjectedMessage {
  readonly entryId: string;
  readonly message: Message;
}

/** The custom type under which messages are stored that a hook adds to a compacted context. */
export const ADDED_BY_HOOK = "hookline.compact";

/**
 * Changes the session's context to `wanted`, as hooks have edited it. Changed or removed messages become context edits.
 * A changed or removed summary becomes another compaction. New texts are appended.
 */
export function replaceContext(store: SessionManager, wanted: readonly Message[]): void {
  const projection = store.buildSessionProjection();
  const sources = sourcesOf(projection);
  const pairs = pairUp(sources, wanted);
  const left = new Set(sources);
  const added: Message[] = [];
  for (const [index, message] of wanted.entries()) {
    const source = pairs.get(index);
    if (source === undefined) {
      added.push(message);
      continue;
    }
    left.delete(source);
    if (!same(source.message, message)) change(store, source, message);
  }
  for (const source of left) remove(store, source);
  for (const message of added) add(store, message);
}

function sourcesOf({ entries }: SessionProjection): ProjectedMessage[] {
  return entries.flatMap(({ sourceEntry, messages }) =>
    messages.map((message) => ({ entryId: sourceEntry.id, message })),
  );
}

/**
 * Finds the stored message from which each message of `wanted` was made, by index: an equal message, otherwise the next
 * one with the same role (and, for tool results, the same call).
 */
function pairUp(sources: readonly ProjectedMessage[], wanted: readonly Message[]): Map<number, ProjectedMessage> {
  const pairs = new Map<number, ProjectedMessage>();
  const free = new Set(sources);
  for (const key of [JSON.stringify, kindOf] as readonly ((message: Message) => string)[]) {
    const waiting = Map.groupBy(free, ({ message }) => key(message));
    for (const [index, message] of wanted.entries()) {
      if (pairs.has(index)) continue;
      const source = waiting.get(key(message))?.shift();
      if (source === undefined) continue;
      pairs.set(index, source);
      free.delete(source);
    }
  }
  return pairs;
}

function kindOf(message: Message): string {
  return message.role === "toolResult" ? `toolResult ${message.toolCallId}` : message.role;
}

function same(a: Message, b: Message): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

function change(store: SessionManager, { entryId, message }: ProjectedMessage, wanted: Message): void {
  if (wanted.role === "compactionSummary" && message.role === "compactionSummary")
    summarise(store, entryId, wanted.summary);
  else if (isEditable(wanted)) store.appendContextEdit(entryId, { content: wanted.content as Content[] });
}

function remove(store: SessionManager, { entryId, message }: ProjectedMessage): void {
  // The next summary builds on the last one, so a removed summary is stored as an empty one.
  const id = message.role === "compactionSummary" ? summarise(store, entryId, "") : entryId;
  if (id !== undefined) store.appendRemoval(id);
}

/** Stores a compaction with another summary that keeps the same entries as the previous compaction. */
function summarise(store: SessionManager, entryId: string, summary: string): string | undefined {
  const entry = store.getEntry(entryId);
  if (entry?.type !== "compaction") return undefined;
  const { firstKeptEntryId, tokensBefore, details } = entry;
  const kept = firstKeptEntryId === entry.id ? null : firstKeptEntryId;
  return store.appendCompaction(summary, kept, tokensBefore, details, true);
}

function add(store: SessionManager, message: Message): void {
  if (message.role === "user" || message.role === "custom")
    store.appendCustomMessageEntry(ADDED_BY_HOOK, message.content, true);
  else if (message.role === "compactionSummary") store.appendCustomMessageEntry(ADDED_BY_HOOK, message.summary, true);
}

function isEditable(
  message: Message,
): message is Message & { readonly role: "user" | "assistant" | "toolResult" | "custom" } {
  return ["user", "assistant", "toolResult", "custom"].includes(message.role);
}
