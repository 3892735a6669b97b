import type { CustomMessage } from "@hookline/runtime/engine";
import type { Core } from "./core.ts";

/** Appends a hook's message to the conversation; nobody is asked to answer it. */
export function appendMessage(core: Core, message: CustomMessage): void {
  const { customType, content, display, details } = message;
  core.store.appendCustomMessageEntry(customType, content, display, details);
  core.tell({ type: "message_start", message });
  core.tell({ type: "message_end", message });
}

/**
 * Appends what hooks sent during the run without wanting an answer. Called when a turn's results are stored, because no
 * model accepts a message between a reply's calls and their results.
 */
export function appendHeld(core: Core): void {
  for (const message of core.queues.takeHeld()) appendMessage(core, message);
}
