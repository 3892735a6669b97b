import type { Message } from "@hookline/runtime";
import type { ToolResult } from "../tool/tool.ts";

/** The model gets hooks' texts like the person's; this records for the person which hooks wrote them. */
const HOOKS = new WeakMap<Message | ToolResult, readonly string[]>();

/** Records which hooks have written a message, or have refused a call, by file and line; returns the message. */
export function writtenBy<M extends Message | ToolResult>(message: M, hooks: readonly string[]): M {
  if (hooks.length > 0) HOOKS.set(message, hooks);
  return message;
}

/** The hooks behind a message or a refusal; undefined for messages of the person, the model or a tool. */
export function hooksBehind(message: Message | ToolResult): readonly string[] | undefined {
  return HOOKS.get(message);
}
