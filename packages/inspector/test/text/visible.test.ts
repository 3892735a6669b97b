import { expect, test } from "vitest";
import { oneLine, visible } from "../../src/text/visible.ts";

test.each([
  ["a terminal sequence", "\u001b[2Jgone\u001b]0;title\u0007", "⟨ESC⟩[2Jgone⟨ESC⟩]0;title⟨BEL⟩"],
  ["a sequence in one character", "\u009b31m", "⟨U+009B⟩31m"],
  ["a carriage return", "safe\rrm -rf /", "safe⟨CR⟩rm -rf /"],
  ["letters turned around", "a\u202etxt.exe", "a⟨U+202E⟩txt.exe"],
  ["a space that nobody sees", "pass\u200bword", "pass⟨U+200B⟩word"],
  ["words in Unicode's tags", "hi\u{e0068}\u{e0069}", "hi⟨U+E0068⟩⟨U+E0069⟩"],
  ["half a character", "a\ud800b", "a⟨U+D800⟩b"],
  ["lines, tabs and other scripts", "ä\n\t日本 👩‍🚀", "ä\n\t日本 👩‍🚀"],
])("%s is shown as text", (_, text, shown) => {
  expect(visible(text)).toBe(shown);
});

test("a long text on one line is cut", () => {
  expect(oneLine("a\n\n  b")).toBe("a b");
  expect(oneLine("x".repeat(1_000_000), 10)).toBe(`${"x".repeat(10)}…`);
  expect(oneLine("ab👩", 3)).toBe("ab…");
});
