import { parseStreamingJson } from "@earendil-works/pi-ai/utils/json-parse";
import { type CallFault, faultOf, LIMITS } from "../limits.ts";

/** How long a parsed value is reused while more text arrives, in ms. */
const LOOK_MS = 50;
/** Parsing takes at most about one tenth of the time: the next parse waits ten times as long as the last one took. */
const SHARE = 10;

/** The text of a call's arguments, not yet parsed. */
export class ArgumentsText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A tool call in a message that a client fills. */
export interface CallBlock {
  arguments: unknown;
}

const streaming = new WeakMap<CallBlock, StreamedArguments>();
const faults = new WeakMap<CallBlock, CallFault>();

/** The arguments of a call that streams: parsed when they are read, but not again for a while. */
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

  /** Parses all arguments received so far. `look` parses less often, so it may return an older value. */
  get whole(): Reading {
    return read(this.#latest);
  }
}

interface Reading {
  readonly value: unknown;
  readonly fault?: CallFault;
}

/** Parses arguments, and leaves them out if they are too deep or too long to copy, store or show. */
function read(latest: unknown): Reading {
  const isText = latest instanceof ArgumentsText;
  if (isText && latest.text.length > LIMITS.arguments) return { value: {}, fault: "long" };
  const value = isText ? parseStreamingJson(latest.text) : latest;
  const fault = faultOf(value);
  return fault === undefined ? { value } : { value: {}, fault };
}

/** Makes a block's arguments be parsed only when they are read. */
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

/** Parses all of a block's arguments and stores the value in the block. */
export function endArguments(block: CallBlock): void {
  const streamed = streaming.get(block);
  streaming.delete(block);
  const { value, fault } = streamed?.whole ?? read(block.arguments);
  if (fault !== undefined) faults.set(block, fault);
  if (streamed === undefined && value === block.arguments) return;
  Object.defineProperty(block, "arguments", { value, writable: true, enumerable: true, configurable: true });
}

/** Returns a copy of a streaming message that its client can no longer change. */
export function withoutStream<T extends { readonly content: readonly object[] }>(message: T): T {
  const content = message.content.map((block) => {
    const streamed = streaming.get(block as CallBlock);
    return streamed === undefined ? { ...block } : { ...block, arguments: streamed.whole.value };
  });
  return { ...message, content };
}

/** Whether a block's arguments are parsed only when they are read. */
export function isStreaming(block: object): boolean {
  return streaming.has(block as CallBlock);
}

/** Returns why a block's arguments were left out; undefined if they were not. */
export function faultIn(block: object): CallFault | undefined {
  return faults.get(block as CallBlock);
}
