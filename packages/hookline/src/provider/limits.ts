/** A fault of a call: its arguments are nested too deeply or too long, or too many calls precede it. */
export type CallFault = "deep" | "long" | "many";

/** Limits on what a model may send, which is as untrusted as the data of hooks (guarantees R18). */
export const LIMITS = {
  /** Nesting depth of a call's arguments. A hook's answer may be 8 deeper, so that it can contain any arguments. */
  depth: 248,
  /** Characters of a call's arguments. */
  arguments: 8 << 20,
  /** Number of calls in a reply that are run. */
  calls: 256,
  /** Characters of a reply: text, thinking and arguments. */
  reply: 32 << 20,
  /** Number of texts, thoughts and calls in a reply. */
  blocks: 4096,
} as const;

/** Returns why a call was not run, and what to do. */
export function callRefusal(fault: CallFault, tool: string): string {
  if (fault === "many")
    return `A reply may have at most ${LIMITS.calls} calls, so this one of ${tool} was not run. Send it again in another reply.`;
  const what =
    fault === "deep"
      ? `nested more than ${LIMITS.depth} levels deep, so the call was not run. Send flatter ones.`
      : `longer than ${LIMITS.arguments} characters, so the call was not run. Send them in smaller parts.`;
  return `The arguments of ${tool} are ${what}`;
}

/** Finds whether arguments are too deep or too long to copy, store and show. Not recursive, to survive deep ones. */
export function faultOf(value: unknown): "deep" | "long" | undefined {
  let length = 0;
  let level: unknown[] = [value];
  for (let depth = 1; level.length > 0; depth++) {
    const next: unknown[] = [];
    for (const one of level) {
      length += typeof one === "string" ? one.length + 2 : 2;
      if (length > LIMITS.arguments) return "long";
      if (typeof one !== "object" || one === null) continue;
      if (depth > LIMITS.depth) return "deep";
      if (Array.isArray(one)) for (const item of one) next.push(item);
      else
        for (const [key, item] of Object.entries(one)) {
          length += key.length;
          next.push(item);
        }
    }
    level = next;
  }
  return undefined;
}

/** Adds up the size of a reply while it arrives. */
export class ReplySize {
  #length = 0;

  /** Whether this event of the stream makes the reply too large. */
  isOver(event: { readonly delta?: string; readonly partial?: Content; readonly message?: Content }): boolean {
    this.#length += event.delta?.length ?? 0;
    const { content } = event.partial ?? event.message ?? { content: [] };
    // Content that was not streamed occurs only in the final message.
    const length = event.message === undefined ? this.#length : Math.max(this.#length, lengthOf(content));
    return length > LIMITS.reply || content.length > LIMITS.blocks;
  }
}

interface Content {
  readonly content: readonly object[];
}

function lengthOf(content: readonly object[]): number {
  let length = 0;
  for (const block of content)
    for (const value of Object.values(block)) if (typeof value === "string") length += value.length;
  return length;
}
