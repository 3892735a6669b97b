import { parseStreamingJson } from "@earendil-works/pi-ai/utils/json-parse";
import { type CallFault, faultOf, LIMITS } from "../limits.ts";

/** How long what was parsed last may be shown while more of the text comes. */
const LOOK_MS = 50;
/** Parsing takes at most this part of the time. */
const SHARE = 10;

/** The text of a call's arguments, which nobody has parsed yet. */
export class ArgumentsText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A block of a message that calls a tool, as the clients fill it. */
export interface CallBlock {
  arguments: unknown;
}

const streaming = new WeakMap<CallBlock, StreamedArguments>();
const faults = new WeakMap<CallBlock, CallFault>();

/** The arguments of one call while they stream: parsed when somebody looks, and then for a while not again. */
class StreamedArguments {
  #latest: unknown;
  #shown: unknown = {};
  #isRead = false;
  #due = 0;

  constructor(latest: unknown) {
    this.set(latest);
  }

  set(latest: unknown): void {
    this.#latest = latest;
    this.#isRead = false;
  }

  look(now = performance.now()): unknown {
    if (!this.#isRead && (now >= this.#due || !(this.#latest instanceof ArgumentsText))) {
      this.#shown = read(this.#latest).value;
      this.#isRead = true;
      const end = performance.now();
      this.#due = end + Math.max(LOOK_MS, SHARE * (end - now));
    }
    return this.#shown;
  }

  /** What the whole text says, whenever it was looked at. */
  get whole(): Reading {
    return read(this.#latest);
  }
}

interface Reading {
  readonly value: unknown;
  readonly fault?: CallFault;
}

/** Arguments that are too deep or too long for anybody to copy, store or show are left out. */
function read(latest: unknown): Reading {
  const isText = latest instanceof ArgumentsText;
  if (isText && latest.text.length > LIMITS.arguments) return { value: {}, fault: "long" };
  const value = isText ? parseStreamingJson(latest.text) : latest;
  const fault = faultOf(value);
  return fault === undefined ? { value } : { value: {}, fault };
}

/** From here on the block's arguments are parsed when somebody reads them. */
export function startArguments(block: CallBlock): void {
  if (streaming.has(block)) return;
  const streamed = new StreamedArguments(block.arguments);
  streaming.set(block, streamed);
  Object.defineProperty(block, "arguments", {
    get: () => streamed.look(),
    set: (latest: unknown) => streamed.set(latest),
    enumerable: true,
    configurable: true,
  });
}

/** Gives a block the arguments of its whole text. */
export function endArguments(block: CallBlock): void {
  const streamed = streaming.get(block);
  streaming.delete(block);
  const { value, fault } = streamed?.whole ?? read(block.arguments);
  if (fault !== undefined) faults.set(block, fault);
  if (streamed === undefined && value === block.arguments) return;
  Object.defineProperty(block, "arguments", { value, writable: true, enumerable: true, configurable: true });
}

/** A copy of a message that streams, which the client that goes on with it does not reach. */
export function withoutStream<T extends { readonly content: readonly object[] }>(message: T): T {
  const content = message.content.map((block) => {
    const streamed = streaming.get(block as CallBlock);
    return streamed === undefined ? { ...block } : { ...block, arguments: streamed.whole.value };
  });
  return { ...message, content };
}

/** Whether a block's arguments are parsed only when somebody reads them. */
export function isStreaming(block: object): boolean {
  return streaming.has(block as CallBlock);
}

/** Why a block has no arguments, where they were left out. */
export function faultIn(block: object): CallFault | undefined {
  return faults.get(block as CallBlock);
}
