import type { MarkdownTheme } from "@earendil-works/pi-tui";
import { highlightCode } from "../theme/highlight.ts";
import { getMarkdownTheme } from "../theme/styles.ts";
import type { Chat } from "./look.ts";

type Highlight = (code: string, language: string | undefined, chat: Chat) => string[] | undefined;

let highlighter: Highlight | undefined;
let loading: Promise<void> | undefined;

/** Returns the styles for Markdown in the chat; code is coloured once the highlighter is loaded. */
export function markdownStyle(chat: Chat): MarkdownTheme {
  return {
    ...getMarkdownTheme(),
    highlightCode(code: string, language?: string) {
      if (language !== undefined && highlighter === undefined) loadHighlighter(chat);
      return highlighter?.(code, language, chat) ?? highlightCode(code, language);
    },
  };
}

/** Loads the highlighter when the chat first shows code, because its grammars are large. */
function loadHighlighter(chat: Chat): void {
  loading ??= import("./highlight.ts").then((module) => {
    highlighter = module.highlighted;
  });
  void loading.then(
    () => chat.requestRender(),
    () => undefined,
  );
}
