import type { Message } from "@hookline/runtime";
import { ask } from "../hook/ask.ts";
import { recordAuthors } from "../session/author.ts";
import type { SessionManager } from "../session/session.ts";
import { tellSent } from "./admit.ts";
import { hooksBehind } from "./author.ts";
import type { Run } from "./core.ts";

/** Puts a complete message into the conversation. Hooks see its start and end and may replace it. */
export async function say(run: Run, message: Message): Promise<Message> {
  await begin(run, message);
  return conclude(run, message);
}

/** Puts the messages that wait for this turn into the conversation. */
export async function sayPending(run: Run): Promise<void> {
  for (const message of run.pending.splice(0)) {
    await say(run, message);
    const hooks = hooksBehind(message);
    const entryId = run.core.store.getLeafId();
    if (hooks !== undefined && entryId !== null) recordAuthors(run.core.store, entryId, hooks);
    await tellSent(run, message);
  }
}

/** Announces the start of a message. `conclude` must follow. */
export async function begin(run: Run, message: Message): Promise<void> {
  const { core } = run;
  core.queues.entered(message);
  const hooks = hooksBehind(message);
  core.tell({ type: "message_start", message, ...(hooks !== undefined && { hooks }) });
  await ask(core, "message.start", { message });
}

/** Ends a started message and returns it as hooks have left it. With `forget`, it is announced but not stored. */
export async function conclude(run: Run, message: Message, keep: Keep = "store"): Promise<Message> {
  return enter(run, await ended(run, message), keep);
}

/** Whether an ended message is stored. */
type Keep = "store" | "forget";

/** Asks hooks on `message.end`; returns the message as they have left it. */
export async function ended<M extends Message>({ core }: Run, message: M): Promise<M> {
  const { answer } = await ask(core, "message.end", { message });
  const replaced = answer.message;
  return replaced !== undefined && replaced.role === message.role ? (replaced as M) : message;
}

/** Stores an ended message unless `keep` is `forget`, and announces it. */
export function enter<M extends Message>(run: Run, message: M, keep: Keep = "store"): M {
  const { core } = run;
  if (keep === "store") {
    run.produced.push(message);
    keepMessage(core.store, message);
    core.contexts?.recorded();
  }
  core.tell({ type: "message_end", message });
  return message;
}

/** Stores a message as the type of entry that its role needs. */
export function keepMessage(store: SessionManager, message: Message): void {
  if (message.role === "custom") {
    store.appendCustomMessageEntry(message.customType, message.content, message.display, message.details);
  } else if (message.role !== "branchSummary" && message.role !== "compactionSummary") store.appendMessage(message);
}
