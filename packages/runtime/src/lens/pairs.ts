import type { FlatCall, FlatMessage } from "./flat.ts";

/** The result that is invented for a tool call without one. Source: guarantees R48. */
export const NO_RESULT = "No result: the tool call was interrupted";

/** Flat messages in which every tool call is followed by its result. */
export interface Paired {
  readonly messages: readonly FlatMessage[];
  /** The ids of results whose call is missing; the results are left out. */
  readonly orphans: readonly string[];
  /** Results that were invented for calls without one. */
  readonly invented: ReadonlySet<FlatMessage>;
}

/**
 * Repairs pairs that an edit has separated: results without a call are dropped, and calls without a result get one with
 * the text `NO_RESULT`.
 */
export function pairUp(messages: readonly FlatMessage[]): Paired {
  const out: FlatMessage[] = [];
  const orphans: string[] = [];
  const invented = new Set<FlatMessage>();
  const moved = new Set<FlatMessage>();
  const open = new Map<string, FlatCall>();

  const close = (from: number): void => {
    for (const id of open.keys()) {
      const later = laterResult(messages, from, id);
      if (later === undefined) {
        const made = { role: "tool", content: NO_RESULT, tool_call_id: id };
        invented.add(made);
        out.push(made);
      } else {
        moved.add(later);
        out.push(later);
      }
    }
    open.clear();
  };

  messages.forEach((message, at) => {
    if (message.role === "tool") {
      if (moved.has(message)) return;
      const id = message.tool_call_id ?? "";
      if (open.delete(id)) out.push(message);
      else orphans.push(id);
      return;
    }
    if (open.size > 0) close(at);
    out.push(message);
    for (const call of message.tool_calls ?? []) open.set(call.id, call);
  });
  close(messages.length);
  return { messages: out, orphans, invented };
}

/** Returns a call's result if it is after other messages, but before the next call with the same id. */
function laterResult(messages: readonly FlatMessage[], from: number, id: string): FlatMessage | undefined {
  for (let at = from; at < messages.length; at++) {
    const message = messages[at] as FlatMessage;
    if (message.role === "tool" && message.tool_call_id === id) return message;
    if (message.tool_calls?.some((call) => call.id === id)) return undefined;
  }
  return undefined;
}
