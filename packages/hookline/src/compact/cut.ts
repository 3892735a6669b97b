import type { Message } from "@hookline/runtime";
import type { SessionProjection } from "../session/context.ts";
import { tokensOfAll } from "./tokens.ts";

type Entries = SessionProjection["entries"];

/** The place where a context is cut: everything before `first` is summarised. */
export interface Cut {
  /** Index of the first entry that is kept. */
  readonly first: number;
  /** Index of the first entry of the turn that the cut divides; absent if no turn is divided. */
  readonly turn?: number;
}

/**
 * Finds the cut, at or after `from`, that keeps about `keep` tokens of the newest entries. The first kept entry is
 * never a tool result, so calls and their results stay together. Source: spec/pi.md 5.4.
 */
export function findCut(entries: Entries, from: number, keep: number): Cut | undefined {
  const points: number[] = [];
  for (let index = from; index < entries.length; index++) {
    if (entries[index]?.messages.some(mayBegin)) points.push(index);
  }
  const [earliest] = points;
  if (earliest === undefined) return undefined;
  let first = earliest;
  let kept = 0;
  for (let index = entries.length - 1; index >= from; index--) {
    kept += tokensOfAll(entries[index]?.messages ?? []);
    if (kept < keep) continue;
    // If only tool results follow `index`, the last valid place before it is used, so that their call is kept too.
    first = points.find((point) => point >= index) ?? (points.at(-1) as number);
    break;
  }
  if (kept < keep) first = earliest;
  first = backOverSettings(entries, first, from);
  const own = entries.slice(first).find(({ messages }) => messages.length > 0);
  if (own?.messages.some(beginsTurn)) return { first };
  const turn = entries.findLastIndex(
    ({ messages }, index) => index < first && index >= from && messages.some(beginsTurn),
  );
  return turn < 0 ? { first } : { first, turn };
}

/** Moves the cut back over entries without messages, such as model changes; they stay with what follows. */
function backOverSettings(entries: Entries, first: number, from: number): number {
  let at = first;
  while (at > from && entries[at - 1]?.messages.length === 0 && entries[at - 1]?.sourceEntry.type !== "compaction")
    at--;
  return at;
}

function mayBegin({ role }: Message): boolean {
  return role !== "toolResult";
}

function beginsTurn({ role }: Message): boolean {
  return role !== "toolResult" && role !== "assistant";
}
