import { type Message, textOf } from "@hookline/runtime";
import { appendLines } from "../mail/append.ts";
import { makePrivateDirectory } from "../session/directory.ts";
import type { SessionEntry } from "../session/entry.ts";
import type { ContextPaths } from "./home.ts";

/** Adds what was said to a context's `transcript.md`: `[USER]: …`, `[ASSISTANT]: …`, without tool calls and results. */
export function appendTranscript(paths: ContextPaths, messages: readonly Message[]): void {
  const lines = messages.flatMap((message) => {
    if (message.role !== "user" && message.role !== "assistant") return [];
    const text = typeof message.content === "string" ? message.content : textOf(message.content);
    return text.trim() === "" ? [] : [`[${message.role.toUpperCase()}]: ${text}\n`];
  });
  if (lines.length === 0) return;
  makePrivateDirectory(paths.folder);
  appendLines(paths.transcript, lines);
}

/** The messages that a branch's compactions behind `seen` have taken out of the conversation, oldest first. */
export function compactedSince(branch: readonly SessionEntry[], seen: string | undefined): Message[] {
  const messages: Message[] = [];
  let start = 0;
  let isNew = seen === undefined;
  for (const [index, entry] of branch.entries()) {
    if (entry.type !== "compaction") continue;
    const kept = branch.findIndex(({ id }) => id === entry.firstKeptEntryId);
    const end = kept < 0 ? index : kept;
    if (isNew) for (const one of branch.slice(start, end)) if (one.type === "message") messages.push(one.message);
    if (entry.id === seen) isNew = true;
    start = Math.max(start, end);
  }
  return messages;
}
