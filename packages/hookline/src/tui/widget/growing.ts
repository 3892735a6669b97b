import type { Component, Markdown } from "@earendil-works/pi-tui";
import { lexer, type Token } from "marked";

/** Matches the start of a formula. Formulas may contain empty lines, which pi-tui supports and marked does not. */
const FORMULA = /\$\$|\\\[/;
/** Matches the start of a text that may continue a list, quote or code block after an empty line. */
const BELONGS = /^[\s\d>+*-]/;

/**
 * Markdown that grows at its end while it streams. Blocks that later text cannot change become separate components,
 * which keep their lines, so that more text only redraws the block that it is in and not the whole message. Draws the
 * same as one `Markdown` of the whole text.
 */
export class GrowingMarkdown implements Component {
  readonly #make: (text: string) => Markdown;
  #done: Markdown[] = [];
  #doneText = "";
  #last: Markdown;
  /** Whether the text has a link definition: it may change any block, so the whole text is drawn as one. */
  #isWhole = false;

  constructor(text: string, make: (text: string) => Markdown) {
    this.#make = make;
    this.#last = make("");
    this.setText(text);
  }

  setText(text: string): void {
    // Tabs become blanks as in pi-tui, so that they are the same wherever the text is cut.
    const all = text.replaceAll("\t", "   ");
    if (this.#isWhole || !all.startsWith(this.#doneText)) this.#restart();
    const rest = all.slice(this.#doneText.length);
    const done = this.#isWhole ? "" : settledPart(rest);
    if (done === undefined) {
      this.#isWhole = true;
      this.#restart();
      this.#last.setText(all);
      return;
    }
    if (done !== "") this.#done.push(this.#make(done));
    this.#doneText += done;
    this.#last.setText(rest.slice(done.length));
  }

  invalidate(): void {
    for (const part of [...this.#done, this.#last]) part.invalidate();
  }

  render(width: number): string[] {
    return [...this.#done, this.#last].flatMap((part) => part.render(width));
  }

  #restart(): void {
    this.#done = [];
    this.#doneText = "";
  }
}

/**
 * Returns the blocks at the start of a text that no later text can change; `undefined` if the text has a link
 * definition, which may change any block.
 */
function settledPart(text: string): string | undefined {
  const tokens = lexer(text);
  if (Object.keys(tokens.links).length > 0) return undefined;
  const formula = text.search(FORMULA);
  const most = formula === -1 ? text.length : formula;
  let end = 0;
  let at = 0;
  for (const [i, { type, raw }] of tokens.entries()) {
    at += raw.length;
    const next: Token | undefined = tokens[i + 1];
    // A block is settled once an empty line ends it and the text after that line cannot belong to it.
    if (type === "space" && next !== undefined && at <= most && !BELONGS.test(next.raw)) end = at;
  }
  const part = text.slice(0, end);
  return tokens
    .map(({ raw }) => raw)
    .join("")
    .startsWith(part)
    ? part
    : "";
}
