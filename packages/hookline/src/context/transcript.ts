import { appendLines, makePrivateDirectory } from "@hookline/ground/system";
import { type Message, textOf } from "@hookline/runtime";
import type { SessionManager } from "../session/session.ts";
import type { ContextPaths } from "./home.ts";

/** Appends messages to a context's `transcript.md` (`[USER]: …`, `[ASSISTANT]: …`). Leaves out tool calls. */
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

/**
 * Finds the messages that compactions have removed from a context's conversation. Each is found once, even if the
 * session has several branches. Compactions from before the session was opened are skipped: the process that made them
 * has recorded them.
 */
export class TakenOut {
  readonly #known = new Set<string>();

  /** Returns the messages that compactions have removed since the last call, oldest first. */
  fresh(store: SessionManager): Message[] {
    const branch = store.getBranch();
    const messages: Message[] = [];
    let start = 0;
    for (const [index, entry] of branch.entries()) {
      if (entry.type !== "compaction") continue;
      const kept = branch.findIndex(({ id }) => id === entry.firstKeptEntryId);
      const end = Math.max(start, kept < 0 ? index : kept);
      for (const one of branch.slice(start, end)) {
        if (one.type !== "message" || this.#known.has(one.id)) continue;
        this.#known.add(one.id);
        if (store.isAdded(entry)) messages.push(one.message);
      }
      start = end;
    }
    return messages;
  }
}
