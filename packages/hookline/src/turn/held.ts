import type { CustomMessage } from "@hookline/runtime/engine";
import type { Core } from "./core.ts";

/** Appends a hook's message to the conversation, without starting a turn. */
export function appendMessage(core: Core, message: CustomMessage): void {
  const { customType, content, display, details } = message;
  core.store.appendCustomMessageEntry(customType, content, display, details);
  core.tell({ type: "message_start", message });
  core.tell({ type: "message_end", message });
}

/**
 * Appends the messages that hooks sent during the turn without wanting an answer. Must only be called when all results
 * of the turn are stored: no message may come between calls and their results.
 */
export function appendHeld(core: Core): void {
  for (const message of core.queues.takeHeld()) appendMessage(core, message);
}
