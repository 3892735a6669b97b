import { isDeepStrictEqual } from "node:util";
import type { Message } from "@hookline/runtime";

/** Changes of hooks to a list of messages. All positions count in the list before the changes. */
export interface Compared {
  readonly edited: readonly { readonly at: number; readonly to: Message }[];
  readonly removed: readonly number[];
  /** New messages, each with the old position before which it belongs; the old length means the end. */
  readonly added: readonly { readonly message: Message; readonly before: number }[];
}

/** Matches equal messages in order. Between two matches, messages with the same role count as edits. */
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
