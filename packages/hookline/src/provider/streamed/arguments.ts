import { parseStreamingJson } from "@earendil-works/pi-ai/utils/json-parse";
import { isTooDeep } from "../depth.ts";

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
const emptied = new WeakSet<CallBlock>();

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
      this.#shown = read(this.#latest);
      if (isTooDeep(this.#shown)) this.#shown = {};
      this.#isRead = true;
      const end = performance.now();
      this.#due = end + Math.max(LOOK_MS, SHARE * (end - now));
    }
    return this.#shown;
  }

  /** What the whole text says, whenever it was looked at. */
  get whole(): unknown {
    return read(this.#latest);
  }
}

function read(latest: unknown): unknown {
  return latest instanceof ArgumentsText ? parseStreamingJson(latest.text) : latest;
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

/** Gives a block the arguments of its whole text; none where they are nested too deeply for anybody to copy or store. */
export function endArguments(block: CallBlock): void {
  const streamed = streaming.get(block);
  streaming.delete(block);
  const whole = streamed === undefined ? read(block.arguments) : streamed.whole;
  const deep = isTooDeep(whole);
  if (deep) emptied.add(block);
  if (streamed === undefined && whole === block.arguments && !deep) return;
  const value = deep ? {} : whole;
  Object.defineProperty(block, "arguments", { value, writable: true, enumerable: true, configurable: true });
}

/** A copy of a message that streams, which the client that goes on with it does not reach. */
export function withoutStream<T extends { readonly content: readonly object[] }>(message: T): T {
  const content = message.content.map((block) => {
    const copy: object = { ...block };
    if (isStreaming(block)) Object.assign(copy, { arguments: streaming.get(block as CallBlock)?.whole });
    endArguments(copy as CallBlock);
    return copy;
  });
  return { ...message, content };
}

/** Whether a block's arguments are parsed only when somebody reads them. */
export function isStreaming(block: object): boolean {
  return streaming.has(block as CallBlock);
}

/** Whether a block has no arguments because they were nested too deeply. */
export function isEmptied(block: object): boolean {
  return emptied.has(block as CallBlock);
}
