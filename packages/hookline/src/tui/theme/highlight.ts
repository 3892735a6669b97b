import hljs from "highlight.js/lib/common";
import { currentTheme } from "./current.ts";
import type { Theme } from "./theme.ts";

/** Maps a language of highlight.js's common set to similar ones that the set lacks; they get its colours. */
const SIMILAR: Readonly<Record<string, string[]>> = {
  bash: ["fish", "dockerfile"],
  java: ["scala"],
  ruby: ["elixir"],
};
for (const [languageName, names] of Object.entries(SIMILAR)) hljs.registerAliases(names, { languageName });

/** Maps scopes of highlight.js to the theme's colours; `title` is also the colour of `title.function`. */
const COLOURS: Readonly<Record<string, string>> = {
  comment: "syntaxComment",
  quote: "syntaxComment",
  keyword: "syntaxKeyword",
  literal: "syntaxKeyword",
  "selector-tag": "syntaxKeyword",
  doctag: "syntaxKeyword",
  meta: "syntaxKeyword",
  title: "syntaxFunction",
  section: "syntaxFunction",
  built_in: "syntaxFunction",
  string: "syntaxString",
  regexp: "syntaxString",
  symbol: "syntaxString",
  addition: "toolDiffAdded",
  deletion: "toolDiffRemoved",
  number: "syntaxNumber",
  type: "syntaxType",
  class: "syntaxType",
  name: "syntaxType",
  attr: "syntaxVariable",
  attribute: "syntaxVariable",
  property: "syntaxVariable",
  variable: "syntaxVariable",
  params: "syntaxVariable",
  operator: "syntaxOperator",
  punctuation: "syntaxPunctuation",
};

/** The longest code that is highlighted; longer code has one colour. */
const MOST_CHARACTERS = 100_000;

interface Node {
  readonly scope?: string;
  readonly children: readonly (string | Node)[];
}

/** Colours code for a terminal, line by line; long code and code in an unknown language have one colour. */
export function highlightCode(code: string, language?: string): string[] {
  const theme = currentTheme();
  if (language === undefined || code.length > MOST_CHARACTERS || hljs.getLanguage(language) === undefined)
    return code.split("\n").map((line) => theme.fg("mdCodeBlock", line));
  const result = hljs.highlight(code, { language, ignoreIllegals: true });
  // `_emitter` is private; it holds the tree from which highlight.js makes its HTML.
  const { rootNode } = result._emitter as unknown as { readonly rootNode: Node };
  const lines = [""];
  write(rootNode, undefined, lines, theme);
  return lines;
}

function write(node: Node, above: string | undefined, lines: string[], theme: Theme): void {
  const colour = colourOf(node.scope) ?? above;
  for (const child of node.children) {
    if (typeof child !== "string") {
      write(child, colour, lines, theme);
      continue;
    }
    // Lines are drawn separately, so a token that spans several is coloured on each.
    for (const [at, part] of child.split("\n").entries()) {
      if (at > 0) lines.push("");
      if (part !== "") lines[lines.length - 1] += colour === undefined ? part : theme.fg(colour, part);
    }
  }
}

function colourOf(scope: string | undefined): string | undefined {
  return scope === undefined ? undefined : COLOURS[scope.split(".")[0] ?? ""];
}
