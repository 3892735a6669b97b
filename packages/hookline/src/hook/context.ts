import type { Content, CustomMessage } from "@hookline/runtime/internal";

/** The type of the messages that hold what hooks tell the model. */
const HOOK_CONTEXT = "hookline.context";

/** Texts of hooks as messages that the model sees and the person does not; `event` is where they were said. */
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

/** The same as text blocks, to stand behind the result of a call. */
export function remarkBlocks(texts: readonly string[]): Content[] {
  return said(texts).map((text) => ({ type: "text", text: reminded(text) }));
}

function said(texts: readonly string[]): readonly string[] {
  return texts.filter((text) => text.trim() !== "");
}

/** A hook's text in a frame that tells the model whose it is. */
function reminded(text: string): string {
  return `<system-reminder>\nA hook adds:\n${text}\n</system-reminder>`;
}
