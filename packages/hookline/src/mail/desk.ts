import { existsSync } from "node:fs";
import type { Message } from "@hookline/runtime";
import type { SessionManager } from "../session/session.ts";
import { textIn } from "../session/text.ts";
import { Inbox, type InboxPaths } from "./inbox.ts";
import { type Letter, letterBlock } from "./letter.ts";

/** Puts letters from other contexts before prompts, and delivers the letters that the model writes. */
export class MailDesk {
  readonly #pathsOf: (context: string) => InboxPaths;
  readonly #inboxes = new Map<string, Inbox>();
  /** The letters that precede the current prompt. */
  #handed: { readonly inbox: Inbox; readonly block: string } | undefined;

  /** `pathsOf` returns the paths of a context's inbox; it throws if the name of the context is not valid. */
  constructor(pathsOf: (context: string) => InboxPaths) {
    this.#pathsOf = pathsOf;
  }

  /** Puts a letter into the inbox of the context that it names, which need not exist. Throws on failure. */
  async deliver(letter: Letter): Promise<void> {
    await this.#inbox(letter.to).append(letter);
  }

  /**
   * Returns a prompt, preceded by the letters from a context's inbox. `bad` counts lines that are no letters.
   * Letters that a killed process had taken are delivered again, unless they are in the conversation already.
   */
  async receive(
    context: string,
    prompt: string,
    messages: readonly Message[] = [],
  ): Promise<{ readonly prompt: string; readonly bad: number }> {
    const inbox = this.#inbox(context);
    const last = messages.findLast(({ role }) => role === "user");
    const { letters, bad } = await inbox.take(
      (block, takenMs) => last !== undefined && last.timestamp >= Math.floor(takenMs) && holds([last], block),
    );
    if (letters.length === 0) return { prompt, bad };
    const block = letterBlock(letters);
    this.#handed = { inbox, block };
    return { prompt: block + prompt, bad };
  }

  /**
   * Confirms the letters that came with a prompt if the model has answered it (`read`) or they are in the conversation.
   * Otherwise they are delivered again.
   */
  async settle(store: SessionManager, read: boolean): Promise<void> {
    const handed = this.#handed;
    if (handed === undefined) return;
    if (!read && !holds(store.buildSessionContext().messages, handed.block)) return;
    this.#handed = undefined;
    handed.inbox.confirm(await isStored(store));
  }

  #inbox(context: string): Inbox {
    const known = this.#inboxes.get(context);
    if (known !== undefined) return known;
    const inbox = new Inbox(this.#pathsOf(context));
    this.#inboxes.set(context, inbox);
    return inbox;
  }
}

function holds(messages: readonly Message[], block: string): boolean {
  return messages.some(
    ({ role, ...rest }) => role === "user" && textIn((rest as { content?: unknown }).content, "\n").includes(block),
  );
}

/** Whether the conversation is on disk. A new session has no file before its first reply. */
async function isStored(store: SessionManager): Promise<boolean> {
  const file = store.getSessionFile();
  return file === undefined || (existsSync(file) && (await store.flush()));
}
