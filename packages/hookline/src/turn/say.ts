import type { Message } from "@hookline/runtime";
import { ask } from "../hook/ask.ts";
import type { SessionManager } from "../session/manager.ts";
import { tellSent } from "./admit.ts";
import type { Run } from "./core.ts";

/**
 * Puts a complete message into the conversation: hooks see it begin and end and may replace it,
 * then it is stored.
 */
export async function say(run: Run, message: Message): Promise<Message> {
  await begin(run, message);
  return conclude(run, message);
}

/** Puts the messages that wait for the next turn into the conversation. */
export async function sayPending(run: Run): Promise<void> {
  for (const message of run.pending.splice(0)) {
    await say(run, message);
    await tellSent(run, message);
  }
}

/** Tells that a message has begun; `conclude` must follow. */
export async function begin(run: Run, message: Message): Promise<void> {
  const { core } = run;
  core.queues.entered(message);
  core.tell({ type: "message_start", message });
  await ask(core, "message.start", { message });
}

/** Ends a message that has begun; gives it as the hooks left it. A discarded one is told of but not kept. */
export async function conclude(run: Run, message: Message, keep: "store" | "forget" = "store"): Promise<Message> {
  const { core } = run;
  const { answer } = await ask(core, "message.end", { message });
  const replaced = answer.message;
  const final = replaced !== undefined && replaced.role === message.role ? replaced : message;
  if (keep === "store") {
    run.produced.push(final);
    keepMessage(core.store, final);
    core.contexts?.recorded();
  }
  core.tell({ type: "message_end", message: final });
  return final;
}

/** Stores a message as the entry that its role has. */
export function keepMessage(store: SessionManager, message: Message): void {
  if (message.role === "custom") {
    store.appendCustomMessageEntry(message.customType, message.content, message.display, message.details);
  } else if (message.role !== "branchSummary" && message.role !== "compactionSummary") store.appendMessage(message);
}
