import type { Message } from "@hookline/runtime";
import type { Conversation } from "./port.ts";
import { contextSize, tokensOfAll, tokensOfText } from "./tokens.ts";

/** Estimates the tokens of the session's next request. `waiting` are messages that are not stored yet. */
export function contextTokens(conversation: Conversation, waiting: readonly Message[] = []): number {
  return contextSize(conversation.store.sharedProjection(), () => overhead(conversation)).tokens + tokensOfAll(waiting);
}

/** Estimates the tokens of a request without its messages: the system prompt and the tools. */
export function overhead(conversation: Conversation): number {
  const all = conversation.tools();
  const tools = conversation.activeTools().reduce((sum, name) => {
    const found = all.get(name)?.tool;
    return found === undefined ? sum : sum + JSON.stringify(found.parameters).length + found.description.length;
  }, 0);
  return tokensOfText(conversation.systemPrompt) + Math.ceil(tools / 4);
}
