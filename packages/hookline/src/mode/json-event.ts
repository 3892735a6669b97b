import type { Diagnostic } from "@hookline/runtime";
import type { StreamEvent } from "../provider/provider.ts";
import { diagnosticLine } from "../start/lines.ts";
import type { AgentEvent } from "../turn/event.ts";

/**
 * Converts an event for JSON and RPC clients. Updates of a reply omit the text so far, which would grow each time.
 * Source: spec/pi.md 2.5.
 */
export function jsonEvent(event: AgentEvent): object {
  if (event.type === "subagent_event") return { ...event, event: jsonEvent(event.event) };
  if (event.type !== "message_update") return event;
  const { message, assistantMessageEvent } = event;
  return { type: event.type, usage: message.usage, assistantMessageEvent: piece(assistantMessageEvent) };
}

/** Converts a diagnostic to a notice for JSON clients. Leaves out a hook's stderr, which only persons may see. */
export function diagnosticNotice(diagnostic: Diagnostic): object {
  const { severity: level, code, hook } = diagnostic;
  return { type: "notice", level, text: diagnosticLine(diagnostic), code, ...(hook !== undefined && { hook }) };
}

function piece(event: StreamEvent): object {
  if (!("partial" in event)) return event;
  const { partial, ...rest } = event;
  if (event.type !== "toolcall_start") return rest;
  const block = partial.content[event.contentIndex];
  return block?.type === "toolCall" ? { ...rest, id: block.id, toolName: block.name } : rest;
}
