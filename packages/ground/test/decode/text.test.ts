import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanText } from "../../src/decode/text.ts";

const FORBIDDEN = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\p{Surrogate}]/u;

/** Texts that terminals act on. */
const HOSTILE: readonly (readonly [what: string, text: string])[] = [
  ["window title", "\x1b]0;owned\x07"],
  ["window title, other end", "\x1b]2;owned\x1b\\"],
  ["window title, C1", "\x9d0;owned\x9c"],
  ["clipboard", "\x1b]52;c;b3duZWQ=\x07"],
  ["link", "\x1b]8;;http://evil.example\x07click\x1b]8;;\x07"],
  ["clear screen", "\x1b[2J\x1b[H"],
  ["clear screen, C1", "\x9b2J"],
  ["cursor up", "\x1b[1A\x1b[2K"],
  ["alternate screen", "\x1b[?1049h"],
  ["bracketed paste", "\x1b[?2004l"],
  ["mouse", "\x1b[?1000h"],
  ["report of the cursor", "\x1b[6n"],
  ["report of the title", "\x1b[21t"],
  ["reset", "\x1bc"],
  ["save and restore", "\x1b7\x1b8"],
  ["character set", "\x1b(0lqk"],
  ["device string", "\x1bPq#0;2;0;0;0\x1b\\"],
  ["device string, C1", "\x90+q544e\x9c"],
  ["application command", "\x1b_payload\x1b\\"],
  ["privacy message", "\x1b^payload\x1b\\"],
  ["start of string", "\x1bXpayload\x1b\\"],
  ["bell and backspace", "safe\x07\b\b\b\bevil"],
  ["carriage return", "rm -rf /\rls      "],
  ["NUL and DEL", "a\x00b\x7fc"],
  ["lone escape", "a\x1b"],
  ["unfinished sequence", "a\x1b[31"],
  ["unfinished title", "a\x1b]0;the rest is shown"],
  ["nested", "\x1b\x1b[31m\x1b]0;\x1b[2J\x07"],
  ["bidi override", "file\u202etxt.exe"],
  ["bidi isolate", "a\u2066b\u2069c"],
  ["marks", "a\u200eb\u200fc\u061cd"],
  ["line separators", "a\u2028b\u2029c"],
  ["tags", "a\u{e0041}\u{e0042}b"],
  ["half a character", "a\ud800b\udc00c"],
];

const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(...HOSTILE.map(([, one]) => one)),
      fc.constantFrom("\x1b", "[", "]", "P", "m", "31", ";", "\x07", "\x9b", "\x9c", "\\", "\r", "\n", "\t", "?"),
      fc.string({ unit: "binary" }),
      fc.string(),
    ),
    { maxLength: 12 },
  )
  .map((pieces) => pieces.join(""));

describe("making a text harmless", () => {
  it.each(HOSTILE)("leaves no control: %s", (_, one) => {
    for (const controls of ["remove", "show"] as const) expect(cleanText(one, { controls })).not.toMatch(FORBIDDEN);
  });

  it("leaves no control in any text", () => {
    fc.assert(
      fc.property(text, fc.constantFrom("remove", "show"), (one, controls) => {
        expect(cleanText(one, { controls })).not.toMatch(FORBIDDEN);
      }),
      { numRuns: 1000 },
    );
  });

  it("keeps nothing but whole SGR sequences where they are asked for, and closes them", () => {
    fc.assert(
      fc.property(text, fc.constantFrom("remove", "show"), (one, controls) => {
        const clean = cleanText(one, { controls, keepSgr: true });
        const sequences = clean.match(/\x1b\[[0-9;:]*m/g) ?? [];
        expect(clean.replace(/\x1b\[[0-9;:]*m/g, "")).not.toMatch(FORBIDDEN);
        if (sequences.length > 0) expect(sequences.at(-1)).toMatch(/^\x1b\[[0;:]*m$/);
      }),
      { numRuns: 1000 },
    );
  });

  it("changes nothing the second time", () => {
    fc.assert(
      fc.property(text, fc.boolean(), (one, keepSgr) => {
        const once = cleanText(one, { keepSgr });
        expect(cleanText(once, { keepSgr })).toBe(once);
      }),
      { numRuns: 2000 },
    );
  });

  it("makes one line of a text that is folded", () => {
    fc.assert(
      fc.property(text, (one) => {
        expect(cleanText(one, { lines: "fold" })).not.toMatch(/[\n\r\t]/);
      }),
    );
  });

  it.each([
    ["plain text, emoji and scripts", "naïve 👩‍👩‍👧 می‌خواهم 漢字\n\tend", {}, "naïve 👩‍👩‍👧 می‌خواهم 漢字\n\tend"],
    ["a whole sequence goes", "a\x1b[31mb\x1b[0mc", {}, "abc"],
    ["colour stays where it is asked for", "a\x1b[31mb\x1b[0mc", { keepSgr: true }, "a\x1b[31mb\x1b[0mc"],
    ["colour that is left on is ended", "a\x1b[1;38:5:9mb", { keepSgr: true }, "a\x1b[1;38:5:9mb\x1b[0m"],
    ["a link keeps its words", "\x1b]8;;http://x.example\x07click\x1b]8;;\x07", {}, "click"],
    ["an unfinished title hides nothing", "\x1b]0;rm -rf /", {}, "]0;rm -rf /"],
    ["DOS line ends", "a\r\nb\rc", {}, "a\nbc"],
    ["controls are shown", "a\x1b[31m\x07\x7f\x9b\u202e", { controls: "show" }, "a␛[31m␇␡<U+009B><U+202E>"],
    ["what has no width is shown", "a\u200bb\ufeffc\u{e0041}", { controls: "show" }, "a<U+200B>b<U+FEFF>c<U+E0041>"],
    ["a lone return is shown", "ls\rrm", { controls: "show" }, "ls␍rm"],
    ["one line", "a\r\nb\tc\nd", { lines: "fold" }, "a b c d"],
  ] as const)("%s", (_, one, rules, clean) => {
    expect(cleanText(one, rules)).toBe(clean);
  });

  it("shows every character of a command, in order", () => {
    fc.assert(
      fc.property(text, (one) => {
        const visible = Array.from(one.replaceAll("\r\n", "\n")).filter((character) => !FORBIDDEN.test(character));
        let rest = cleanText(one, { controls: "show" });
        for (const character of visible.filter((each) => /^[ -~]$/.test(each))) {
          const at = rest.indexOf(character);
          expect(at).toBeGreaterThanOrEqual(0);
          rest = rest.slice(at + 1);
        }
      }),
    );
  });

  it("takes a megabyte of introducers without end", () => {
    for (const one of ["\x1b]", "\x1b[", "\x1bP0", "\x9d", "\x1b(", "\x1b["]) {
      expect(cleanText(one.repeat(500_000))).not.toMatch(FORBIDDEN);
    }
    expect(cleanText(`\x1b[${"1".repeat(1_000_000)}`)).toHaveLength(1_000_001);
  });
});
