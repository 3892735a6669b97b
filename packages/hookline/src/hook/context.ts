import type { Content, CustomMessage } from "@hookline/runtime/internal";

/** The type of messages with hooks' text for the model. */
const HOOK_CONTEXT = "hookline.context";

/** Hooks' texts as messages that only the model sees; `event` is the event in which they were given. */
export function hookContext(event: string, texts: readonly string[] = []): CustomMessage[] {
  return said(texts).map((text) => ({
    role: "custom",
    customType: HOOK_CONTEXT,
    content: reminded(text),
    display: false,
    details: { event },
    timestamp: Date.now(),
  }));
}

/** The same as text blocks, to append to the result of a call. */
export function remarkBlocks(texts: readonly string[]): Content[] {
  return said(texts).map((text) => ({ type: "text", text: reminded(text) }));
}

function said(texts: readonly string[]): readonly string[] {
  return texts.filter((text) => text.trim() !== "");
}

/** A hook's text, marked for the model as such. */
function reminded(text: string): string {
  return `<system-reminder>\nA hook adds:\n${text}\n</system-reminder>`;
}
