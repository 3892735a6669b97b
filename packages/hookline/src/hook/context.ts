import type { EventName } from "@hookline/runtime";
import type { Content, CustomMessage } from "@hookline/runtime/engine";
import { type Answered, authorsOf } from "./author.ts";

/** The type of messages with hooks' text for the model. */
const HOOK_CONTEXT = "hookline.context";

/** A hook's text for the model, which waits for the next request. */
export interface WaitingText {
  readonly event: EventName;
  readonly text: string;
  /** The hooks that were asked in the same dispatch. */
  readonly hooks: readonly Answered[];
}

/** Returns the texts that hooks gave in one dispatch, with the event and the hooks. */
export function waitingTexts(
  event: EventName,
  texts: readonly string[] | undefined,
  hooks: readonly Answered[],
): WaitingText[] {
  return said(texts ?? []).map((text) => ({ event, text, hooks }));
}

/** Converts hooks' texts to messages that only the model sees. */
export function contextMessages(waiting: readonly WaitingText[]): CustomMessage[] {
  return waiting.map(({ event, text }) => ({
    role: "custom",
    customType: HOOK_CONTEXT,
    content: reminded(text),
    display: false,
    details: { event },
    timestamp: Date.now(),
  }));
}

/** Reports to the person which hooks' texts the model never saw, because the run has ended. */
export function tellDropped(
  { tell }: { readonly tell: (notice: { type: "notice"; level: "warning"; text: string }) => void },
  waiting: readonly WaitingText[],
): void {
  if (waiting.length === 0) return;
  const authors = [...new Set(waiting.flatMap(({ text, hooks }) => authorsOf(text, hooks)))].join(", ");
  const text = `The model has not seen what ${authors === "" ? "a hook" : authors} added: the run ended before the next request. If the model needs it, say it in your next prompt.`;
  tell({ type: "notice", level: "warning", text });
}

/** Converts hooks' texts to text blocks, to append to the result of a call. */
export function remarkBlocks(texts: readonly string[]): Content[] {
  return said(texts).map((text) => ({ type: "text", text: reminded(text) }));
}

function said(texts: readonly string[]): readonly string[] {
  return texts.filter((text) => text.trim() !== "");
}

/** Marks a text for the model as coming from a hook. */
function reminded(text: string): string {
  return `<system-reminder>\nA hook adds:\n${text}\n</system-reminder>`;
}
