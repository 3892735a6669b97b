import type { Message } from "@hookline/runtime";

/** A model's answer: text, or a tool call. */
export type Reply =
  | { readonly text: string }
  | { readonly text?: undefined; readonly tool: string; readonly args: Readonly<Record<string, unknown>> };

/** A model that gives prepared replies in order; put a real one in its place. */
export function scripted(replies: readonly Reply[]): (messages: readonly Message[]) => Reply {
  let at = 0;
  return () => replies[at++] ?? { text: "" };
}
