import type { Message } from "@hookline/runtime";

/** The model gets hooks' texts like the person's; this records for the person which hooks wrote them. */
const HOOKS = new WeakMap<Message, readonly string[]>();

/** Records which hooks have written a message, by file and line; returns the message. */
export function writtenBy<M extends Message>(message: M, hooks: readonly string[]): M {
  if (hooks.length > 0) HOOKS.set(message, hooks);
  return message;
}

/** The hooks that have written a message; undefined for messages of the person, the model or a tool. */
export function hooksBehind(message: Message): readonly string[] | undefined {
  return HOOKS.get(message);
}
