import { isFields } from "@hookline/ground";
import type { AssistantMessage } from "@hookline/runtime/engine";
import { type CallFault, faultOf, LIMITS } from "./limits.ts";
import { INVALID_ARGUMENTS, REFUSED_CALLS, type StreamEvent } from "./provider.ts";
import { faultIn, isStreaming } from "./streamed/arguments.ts";

interface Call {
  readonly id: string;
  readonly arguments: unknown;
}

/** The streamed text of a call that has not ended. */
interface Open {
  text: string;
  /** The number of opening brackets in `text`. The arguments are nested at most that deeply. */
  brackets: number;
}

/** A call that has ended; `fault` and `invalid` say what is wrong with it. */
interface Ended {
  readonly index: number;
  readonly id: string;
  readonly fault: CallFault | undefined;
  readonly invalid: string | undefined;
}

/** Collects the text of each call's streamed arguments, to find invalid JSON and exceeded limits. */
export interface ArgumentsLog {
  see(event: StreamEvent): void;
  /** Gives each call of the final message a unique id. Adds what `invalidArguments` and `refusedCalls` return. */
  seal(message: AssistantMessage): void;
}

/**
 * Makes the log of one stream. `repair` is the client's function that turns broken JSON into arguments. A call with
 * broken text is still valid if its arguments are not the repaired text: the client has them from elsewhere.
 */
export function argumentsLog(repair?: (text: string) => unknown): ArgumentsLog {
  const open = new Map<number, Open>();
  const ended: Ended[] = [];

  /** Removes arguments that exceed a limit before anything copies or stores them. */
  function cap(call: Call, text: string): CallFault | undefined {
    const fault = text.length > LIMITS.arguments ? "long" : (faultIn(call) ?? faultOf(call.arguments));
    if (fault !== undefined) Object.assign(call, { arguments: {} });
    return fault;
  }

  function judge(call: Call, text: string, index: number): void {
    const fault = cap(call, text);
    ended.push({ index, id: call.id, fault, invalid: fault === undefined ? invalidText(call, text) : undefined });
  }

  function invalidText(call: Call, text: string): string | undefined {
    if (!isFields(call.arguments)) return text === "" ? String(JSON.stringify(call.arguments)) : text;
    const isBroken =
      text.trim() !== "" && !isJsonObject(text) && (repair === undefined || same(repair(text), call.arguments));
    return isBroken ? text : undefined;
  }

  /**
   * Finds what is wrong with a call, by its id; undefined if nothing is. Clients number content differently, so the
   * index only decides between calls with the same id: servers may repeat an id or send none.
   */
  function endOf(index: number, id: string): Ended | undefined {
    const sameId = ended.filter((one) => one.id === id);
    const own = sameId.filter((one) => one.index === index);
    return (own.length > 0 ? own : sameId).find(({ fault, invalid }) => (fault ?? invalid) !== undefined);
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
        // An extension's client parsed these arguments. Checking is slow, so it waits until they may exceed a limit.
        const mayBeDeep = opened > 0 && known.brackets > LIMITS.depth;
        if (!mayBeDeep && known.text.length <= LIMITS.arguments) return;
        const fault = cap(block, known.text);
        if (fault === undefined || ended.some(({ index }) => index === event.contentIndex)) return;
        ended.push({ index: event.contentIndex, id: block.id, fault, invalid: undefined });
      } else if (event.type === "toolcall_end") {
        judge(event.toolCall, open.get(event.contentIndex)?.text ?? "", event.contentIndex);
        open.delete(event.contentIndex);
      }
    },
    seal(message) {
      const invalid = new Map<string, string>();
      const refused = new Map<string, CallFault>();
      const taken = new Set<string>();
      for (const [index, block] of message.content.entries()) {
        if (block.type !== "toolCall") continue;
        const text = open.get(index)?.text;
        if (text !== undefined) judge(block, text, index);
        const capped = cap(block, "");
        const end = endOf(index, block.id);
        if (!isFields(block.arguments)) Object.assign(block, { arguments: {} });
        if (taken.has(block.id)) Object.assign(block, { id: freeId(block.id, taken) });
        taken.add(block.id);
        const fault = end?.fault ?? capped ?? (taken.size > LIMITS.calls ? "many" : undefined);
        if (fault !== undefined) refused.set(block.id, fault);
        if (end?.invalid !== undefined) invalid.set(block.id, end.invalid);
      }
      if (invalid.size > 0) Object.assign(message, { [INVALID_ARGUMENTS]: invalid });
      if (refused.size > 0) Object.assign(message, { [REFUSED_CALLS]: refused });
    },
  };
}

/** Returns an id that no other call of the reply has. */
function freeId(id: string, taken: ReadonlySet<string>): string {
  for (let count = 2; ; count++) {
    const free = `${id === "" ? "call" : id}-${count}`;
    if (!taken.has(free)) return free;
  }
}

/** Whether a text is that of a JSON object, without any repair. */
export function isJsonObject(text: string): boolean {
  try {
    return isFields(JSON.parse(text));
  } catch {
    return false;
  }
}

function same(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
