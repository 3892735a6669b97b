import type { Colour } from "./colours.ts";

/** The colours of a theme by pi's names; names that end in `Bg` are backgrounds. */
export type Palette = Readonly<Record<string, Colour>>;

interface Ground {
  readonly text: Colour;
  readonly soft: Colour;
  readonly faint: Colour;
  readonly line: Colour;
  readonly accent: Colour;
  readonly blue: Colour;
  readonly green: Colour;
  readonly red: Colour;
  readonly amber: Colour;
  readonly violet: Colour;
  readonly teal: Colour;
  readonly selected: Colour;
  readonly user: Colour;
  readonly custom: Colour;
  readonly pending: Colour;
  readonly done: Colour;
  readonly failed: Colour;
}

/** Derives all colours of pi's themes from a few base colours. */
function palette(c: Ground): Palette {
  return {
    accent: c.accent,
    border: c.blue,
    borderAccent: c.accent,
    borderMuted: c.line,
    success: c.green,
    error: c.red,
    warning: c.amber,
    muted: c.soft,
    dim: c.faint,
    text: c.text,
    thinkingText: c.soft,
    scrollbarTrack: c.line,
    scrollbarThumb: c.text,
    searchMatchText: c.text,
    userMessageText: c.text,
    customMessageText: c.text,
    customMessageLabel: c.violet,
    toolTitle: c.text,
    toolOutput: c.soft,
    mdHeading: c.amber,
    mdLink: c.blue,
    mdLinkUrl: c.faint,
    mdCode: c.accent,
    mdCodeBlock: c.green,
    mdCodeBlockBorder: c.soft,
    mdQuote: c.soft,
    mdQuoteBorder: c.soft,
    mdHr: c.soft,
    mdListBullet: c.accent,
    toolDiffAdded: c.green,
    toolDiffRemoved: c.red,
    toolDiffContext: c.soft,
    syntaxComment: c.faint,
    syntaxKeyword: c.violet,
    syntaxFunction: c.blue,
    syntaxVariable: c.text,
    syntaxString: c.green,
    syntaxNumber: c.amber,
    syntaxType: c.teal,
    syntaxOperator: c.text,
    syntaxPunctuation: c.soft,
    thinkingOff: c.line,
    thinkingMinimal: c.faint,
    thinkingLow: c.teal,
    thinkingMedium: c.blue,
    thinkingHigh: c.violet,
    thinkingXhigh: c.red,
    thinkingMax: c.amber,
    bashMode: c.green,
    selectedBg: c.selected,
    searchMatchBg: c.selected,
    userMessageBg: c.user,
    customMessageBg: c.custom,
    toolPendingBg: c.pending,
    toolSuccessBg: c.done,
    toolErrorBg: c.failed,
  };
}

/** The built-in themes, by name. */
export const PALETTES = {
  dark: palette({
    text: "#d8dee4",
    soft: "#8b949e",
    faint: "#6e7681",
    line: "#484f58",
    accent: "#7ad0c6",
    blue: "#6cb0f5",
    green: "#8fce8b",
    red: "#f2777a",
    amber: "#e8c26e",
    violet: "#c39bea",
    teal: "#66c6d9",
    selected: "#30394a",
    user: "#2b313b",
    custom: "#2f2a3d",
    pending: "#24282f",
    done: "#212c24",
    failed: "#352426",
  }),
  light: palette({
    text: "#1f2328",
    soft: "#59636e",
    faint: "#818b98",
    line: "#afb8c1",
    accent: "#0b7d74",
    blue: "#0969da",
    green: "#1a7f37",
    red: "#cf222e",
    amber: "#9a6700",
    violet: "#7a3fc4",
    teal: "#1b7c83",
    selected: "#d5e3f7",
    user: "#e9edf1",
    custom: "#efe8fa",
    pending: "#eef0f2",
    done: "#e6f4e9",
    failed: "#fbe9e9",
  }),
} as const;
