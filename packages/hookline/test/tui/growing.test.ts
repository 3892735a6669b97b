import { Markdown } from "@earendil-works/pi-tui";
import fc from "fast-check";
import { expect, test } from "vitest";
import { getMarkdownTheme } from "../../src/tui/theme/styles.ts";
import { GrowingMarkdown } from "../../src/tui/widget/growing.ts";

const theme = getMarkdownTheme();
const whole = (text: string): Markdown => new Markdown(text, 1, 0, theme);

/** Pieces of text that models write, whole or cut anywhere. */
const PIECES = [
  "A paragraph of some words",
  "\n",
  "\n\n",
  "\n\n\n",
  " ",
  "    ",
  "\t",
  "- an item",
  "\n- another",
  "\n\n- a loose one",
  "\n  continued",
  "1. first",
  "\n2",
  ". second",
  "* * *",
  "\n---\n",
  "# Heading",
  "\n\n## Another\n\n",
  "Setext\n===",
  "```ts\nconst a = 1;\n",
  "\n\nlet b;\n```",
  "\n```\n",
  "~~~\n",
  "> quoted",
  "\n>\n> more",
  "| a | b |\n|---|---|\n| 1 | 2 |",
  "\n| 3 | 4 |",
  "<div>\n\ninside\n\n</div>",
  "<!-- a\n\n",
  " comment -->",
  "$$\nx^2\n\n",
  "y\n$$",
  "\\[ a \\]",
  "inline $x$ and `code` and **bold",
  "** end",
  "[link][ref]",
  "\n\n[ref]: https://example.com\n\n",
  "[^1]",
  "\\",
  "é 漢字 🙂",
];

const text = fc.array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 3 })), { maxLength: 14 });

test("draws the same as the whole text would, after each piece", () => {
  let parts = 0;
  fc.assert(
    fc.property(text, fc.integer({ min: 8, max: 60 }), (pieces, width) => {
      const growing = new GrowingMarkdown("", (part) => {
        parts += 1;
        return whole(part);
      });
      let all = "";
      for (const piece of pieces) {
        all += piece;
        growing.setText(all.trim());
        expect(growing.render(width)).toEqual(whole(all.trim()).render(width));
      }
    }),
    { numRuns: 300 },
  );
  // Each text has a first part; some 50 of the 300 grow a second one, without which the property says nothing.
  expect(parts).toBeGreaterThan(310);
});

test("a further piece is drawn without the blocks before it", () => {
  let drawn = 0;
  class Counted extends Markdown {
    shown = "";
    latest: string;

    constructor(text: string) {
      super(text, 1, 0, theme);
      this.latest = text;
    }

    override setText(text: string): void {
      super.setText(text);
      this.latest = text;
    }

    override render(width: number): string[] {
      if (this.latest !== this.shown) drawn += this.latest.length;
      this.shown = this.latest;
      return super.render(width);
    }
  }
  const growing = new GrowingMarkdown("", (part) => new Counted(part));
  let all = "";
  for (let i = 0; i < 50; i++) {
    for (const word of `Paragraph ${i} of the text.\n\n`.split(/(?<= )/)) {
      all += word;
      growing.setText(all.trim());
      growing.render(80);
    }
  }
  // Each paragraph once for each of its words; the whole text at each word would be more than a hundred times as much.
  expect(drawn).toBeLessThan(6 * all.length);
});

test("a text that does not go on as it began is drawn from its beginning", () => {
  const growing = new GrowingMarkdown("one\n\ntwo\n\nthree", whole);
  growing.setText("One\n\ntwo");
  expect(growing.render(30)).toEqual(whole("One\n\ntwo").render(30));
});
