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

  /** What is nested too deeply is taken out before anybody copies or stores it; its text stays known. */
  function cap(call: { readonly id: string; readonly arguments: unknown }, text: string): boolean {
    if (!isTooDeep(call.arguments)) return false;
    invalid.set(call.id, text);
    Object.assign(call, { arguments: {} });
    return true;
  }

  function judge(call: { readonly id: string; readonly arguments: unknown }, text: string): void {
    if (cap(call, text)) return;
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
        const text = (open.get(event.contentIndex) ?? "") + event.delta;
        open.set(event.contentIndex, text);
        const block = event.partial.content[event.contentIndex];
        // What is looked at costs time each time, so only what can have become deeper is.
        if (/[[{]/.test(event.delta) && block?.type === "toolCall" && opens(text)) cap(block, text);
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
        else cap(block, invalid.get(block.id) ?? "");
        if (!isRecord(block.arguments)) Object.assign(block, { arguments: {} });
      }
      if (invalid.size > 0) Object.assign(message, { [INVALID_ARGUMENTS]: invalid });
    },
  };
}

/** Deeper than any tool's arguments, and than what hooks are shown of anything (guarantees R18). */
export const MAX_ARGUMENTS_DEPTH = 256;

/** Whether a value is nested too deeply to be copied, stored and shown. Without recursion, which would not come back. */
function isTooDeep(value: unknown): boolean {
  let level = [value].filter(isContainer);
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_ARGUMENTS_DEPTH) return true;
    level = level.flatMap((one) => Object.values(one).filter(isContainer));
  }
  return false;
}

/** Whether a text has enough brackets to be nested too deeply. */
function opens(text: string): boolean {
  let count = 0;
  for (let at = text.search(/[[{]/); at >= 0 && at < text.length; at++)
    if ((text[at] === "[" || text[at] === "{") && ++count > MAX_ARGUMENTS_DEPTH) return true;
  return false;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
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
