import type { AssistantMessage } from "@hookline/runtime/internal";
import { type CallFault, faultOf, LIMITS } from "./limits.ts";
import { INVALID_ARGUMENTS, REFUSED_CALLS, type StreamEvent } from "./provider.ts";
import { faultIn, isStreaming } from "./streamed/arguments.ts";

interface Call {
  readonly id: string;
  readonly arguments: unknown;
}

/** The text of a call that has not ended. */
interface Open {
  text: string;
  /** The number of opening brackets in it, an upper bound of its depth. */
  brackets: number;
}

/**
 * Collects the exact text of streamed tool-call arguments, and marks calls whose text is not a JSON object or that
 * exceed a limit.
 */
export interface ArgumentsLog {
  see(event: StreamEvent): void;
  /** Copies the marks to the final message, where `invalidArguments` and `refusedCalls` find them. */
  seal(message: AssistantMessage): void;
}

/**
 * Makes the log of one stream.
 *
 * `repair` is how the provider's client turns broken text into arguments. If a call's arguments are not what it makes
 * of the streamed text, they did not come from that text, and the call is left alone.
 */
export function argumentsLog(repair?: (text: string) => unknown): ArgumentsLog {
  const open = new Map<number, Open>();
  const invalid = new Map<string, string>();
  const refused = new Map<string, CallFault>();

  /** Removes what exceeds a limit before anything copies or stores it. */
  function cap(call: Call, text: string): boolean {
    const fault = text.length > LIMITS.arguments ? "long" : (faultIn(call) ?? faultOf(call.arguments));
    if (fault === undefined) return false;
    refused.set(call.id, fault);
    Object.assign(call, { arguments: {} });
    return true;
  }

  function judge(call: Call, text: string): void {
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
      if (event.type === "toolcall_start") open.set(event.contentIndex, { text: "", brackets: 0 });
      else if (event.type === "toolcall_delta") {
        const known = open.get(event.contentIndex) ?? { text: "", brackets: 0 };
        open.set(event.contentIndex, known);
        known.text += event.delta;
        const opened = event.delta.match(/[[{]/g)?.length ?? 0;
        known.brackets += opened;
        const block = event.partial.content[event.contentIndex];
        if (block?.type !== "toolCall" || isStreaming(block)) return;
        // An extension's client has parsed them. Checking takes time, so only arguments that may exceed a limit are
        // checked.
        const mayBeDeep = opened > 0 && known.brackets > LIMITS.depth;
        if (mayBeDeep || known.text.length > LIMITS.arguments) cap(block, known.text);
      } else if (event.type === "toolcall_end") {
        judge(event.toolCall, open.get(event.contentIndex)?.text ?? "");
        open.delete(event.contentIndex);
      }
    },
    seal(message) {
      let calls = 0;
      for (const [index, block] of message.content.entries()) {
        if (block.type !== "toolCall") continue;
        const text = open.get(index)?.text;
        if (text !== undefined) judge(block, text);
        else cap(block, "");
        if (!isRecord(block.arguments)) Object.assign(block, { arguments: {} });
        if (++calls > LIMITS.calls && !refused.has(block.id)) refused.set(block.id, "many");
      }
      if (invalid.size > 0) Object.assign(message, { [INVALID_ARGUMENTS]: invalid });
      if (refused.size > 0) Object.assign(message, { [REFUSED_CALLS]: refused });
    },
  };
}

/** True for the text of a JSON object, without any repair. */
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
