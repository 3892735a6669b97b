import type { Message } from "@hookline/runtime";
import type { ToolResult } from "../tool/tool.ts";

/** The hooks that wrote each message. The model sees such messages as the person's; this is for display. */
const HOOKS = new WeakMap<Message | ToolResult, readonly string[]>();

/** Records which hooks, by file and line, have written a message or refused a call; returns the message. */
export function writtenBy<M extends Message | ToolResult>(message: M, hooks: readonly string[]): M {
  if (hooks.length > 0) HOOKS.set(message, hooks);
  return message;
}

/** Returns the hooks that wrote a message or refused a call; undefined if no hook did. */
export function hooksBehind(message: Message | ToolResult): readonly string[] | undefined {
  return HOOKS.get(message);
}
