import type { Payload } from "@hookline/runtime";
import { ask } from "../hook/ask.ts";
import type { Conversation } from "./port.ts";
import { replaceContext } from "./replace.ts";

/** Asks hooks on `compact.after` and applies their answers. */
export async function tellAfter(conversation: Conversation, payload: Payload<"compact.after">): Promise<void> {
  const { answer } = await ask(conversation, "compact.after", payload);
  if (answer.messages !== undefined) replaceContext(conversation.store, answer.messages);
  conversation.queues.context("compact.after", answer.additionalContext);
  conversation.halts.take(answer.halt);
}
