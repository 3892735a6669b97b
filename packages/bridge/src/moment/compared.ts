import { isDeepStrictEqual } from "node:util";
import type { Message } from "@hookline/runtime";

/** How hooks have changed a list of messages; places are those of the list before. */
export interface Compared {
  readonly edited: readonly { readonly at: number; readonly to: Message }[];
  readonly removed: readonly number[];
  /** New ones, each in front of the message at a place, or behind the last. */
  readonly added: readonly { readonly message: Message; readonly before: number }[];
}

/** Pairs messages that are the same, in order, and between those the ones that could have been changed into each other. */
export function compared(before: readonly Message[], after: readonly Message[]): Compared {
  const edited: { at: number; to: Message }[] = [];
  const removed: number[] = [];
  const added: { message: Message; before: number }[] = [];
  let start = 0;
  let waiting: Message[] = [];
  const settle = (end: number): void => {
    const gap = Array.from({ length: Math.max(0, end - start) }, (_, nth) => start + nth);
    for (const message of waiting) {
      const near = gap.findIndex((at) => couldBe(before[at], message));
      if (near < 0) {
        added.push({ message, before: end });
        continue;
      }
      removed.push(...gap.splice(0, near));
      edited.push({ at: gap.shift() as number, to: message });
    }
    removed.push(...gap);
    waiting = [];
    start = end + 1;
  };
  for (const message of after) {
    const same = before.findIndex((one, at) => at >= start && isDeepStrictEqual(one, message));
    if (same < 0) waiting.push(message);
    else settle(same);
  }
  settle(before.length);
  return { edited, removed, added };
}

function couldBe(one: Message | undefined, other: Message): boolean {
  if (one?.role === "toolResult" && other.role === "toolResult") return one.toolCallId === other.toolCallId;
  return one?.role === other.role;
}
