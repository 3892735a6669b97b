import { currentTheme } from "./current.ts";

type Style = (text: string) => string;

const fore =
  (colour: string): Style =>
  (text) =>
    currentTheme().fg(colour, text);

let highlighter: ((code: string, language?: string) => string[]) | undefined;
const waiting = new Set<() => void>();

/** Loads the highlighter, then calls `loaded`. It is loaded when code is first drawn, because its grammars are large. */
function loadHighlighter(loaded: () => void): void {
  waiting.add(loaded);
  import("./highlight.ts").then(
    ({ highlightCode }) => {
      highlighter = highlightCode;
      for (const redraw of waiting) redraw();
      waiting.clear();
    },
    // If the highlighter cannot be loaded, code keeps its one colour.
    () => {},
  );
}

/**
 * Returns the styles for pi-tui's `Markdown`; they use the theme that is current when they are applied. Code has one
 * colour until the highlighter is loaded; `loaded` is called then.
 */
export function getMarkdownTheme(loaded: () => void = () => {}): {
  [name in "heading" | "link" | "linkUrl" | "code" | "codeBlock" | "codeBlockBorder" | "quote" | "quoteBorder"]: Style;
} & { [name in "hr" | "listBullet" | "bold" | "italic" | "underline" | "strikethrough"]: Style } & {
  highlightCode(code: string, language?: string): string[];
} {
  return {
    heading: fore("mdHeading"),
    link: fore("mdLink"),
    linkUrl: fore("mdLinkUrl"),
    code: fore("mdCode"),
    codeBlock: fore("mdCodeBlock"),
    codeBlockBorder: fore("mdCodeBlockBorder"),
    quote: fore("mdQuote"),
    quoteBorder: fore("mdQuoteBorder"),
    hr: fore("mdHr"),
    listBullet: fore("mdListBullet"),
    bold: (text) => currentTheme().bold(text),
    italic: (text) => currentTheme().italic(text),
    underline: (text) => currentTheme().underline(text),
    strikethrough: (text) => currentTheme().strikethrough(text),
    highlightCode(code, language) {
      if (highlighter !== undefined) return highlighter(code, language);
      if (language !== undefined) loadHighlighter(loaded);
      return code.split("\n").map(fore("mdCodeBlock"));
    },
  };
}

/** Returns the styles for pi-tui's `SelectList`. */
export function getSelectListTheme(): {
  [name in "selectedPrefix" | "selectedText" | "description" | "scrollInfo" | "noMatch"]: Style;
} {
  return {
    selectedPrefix: fore("accent"),
    selectedText: fore("accent"),
    description: fore("muted"),
    scrollInfo: fore("muted"),
    noMatch: fore("muted"),
  };
}

/** Returns the styles for pi-tui's `Editor`. */
export function getEditorTheme(): { borderColor: Style; selectList: ReturnType<typeof getSelectListTheme> } {
  return { borderColor: fore("borderMuted"), selectList: getSelectListTheme() };
}

/** Returns the styles for pi-tui's `SettingsList`. */
export function getSettingsListTheme(): {
  [name in "label" | "value"]: (text: string, isSelected: boolean) => string;
} & { [name in "description" | "hint"]: Style } & { cursor: string } {
  return {
    label: (text, isSelected) => (isSelected ? currentTheme().fg("accent", text) : text),
    value: (text, isSelected) => currentTheme().fg(isSelected ? "accent" : "muted", text),
    description: fore("dim"),
    hint: fore("dim"),
    cursor: currentTheme().fg("accent", "→ "),
  };
}
