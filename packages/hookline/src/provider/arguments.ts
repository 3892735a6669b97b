import type { AssistantMessage } from "@hookline/runtime";
import { INVALID_ARGUMENTS, type StreamEvent } from "./provider.ts";

/** Collects the exact text of tool-call arguments from a stream and marks the calls whose text is not a JSON object. */
export interface ArgumentsLog {
  see(event: StreamEvent): void;
  /** Puts the marks on the final message, where `invalidArguments` finds them. */
  seal(message: AssistantMessage): void;
}

/**
 * A log for one stream.
 *
 * `repair` is how the provider's client turns broken text into arguments. A call whose arguments are not what it
 * makes of the streamed text came from a text that was not streamed, and is left alone.
 */
export function argumentsLog(repair?: (text: string) => unknown): ArgumentsLog {
  const open = new Map<number, string>();
  const invalid = new Map<string, string>();

  function judge(call: { readonly id: string; readonly arguments: unknown }, text: string): void {
    if (!isRecord(call.arguments)) invalid.set(call.id, text === "" ? String(JSON.stringify(call.arguments)) : text);
    else if (
      text.trim() !== "" &&
      !isJsonObject(text) &&
      (repair === undefined || same(repair(text), call.arguments))
    ) {
      invalid.set(call.id, text);
    }
  }

  return {
    see(event) {
      if (event.type === "toolcall_start") open.set(event.contentIndex, "");
      else if (event.type === "toolcall_delta") {
        open.set(event.contentIndex, (open.get(event.contentIndex) ?? "") + event.delta);
      } else if (event.type === "toolcall_end") {
        judge(event.toolCall, open.get(event.contentIndex) ?? "");
        open.delete(event.contentIndex);
      }
    },
    seal(message) {
      for (const [index, block] of message.content.entries()) {
        if (block.type !== "toolCall") continue;
        const text = open.get(index);
        if (text !== undefined) judge(block, text);
        if (!isRecord(block.arguments)) Object.assign(block, { arguments: {} });
      }
      if (invalid.size > 0) Object.assign(message, { [INVALID_ARGUMENTS]: invalid });
    },
  };
}

/** True for the text of a JSON object, read without any repair. */
export function isJsonObject(text: string): boolean {
  try {
    return isRecord(JSON.parse(text));
  } catch {
    return false;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function same(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
