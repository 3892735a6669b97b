import * as fc from "fast-check";
import { expect, test } from "vitest";
import { bytePattern } from "../../src/tool/byte-pattern.ts";
import { splitLines } from "../../src/tool/line-search.ts";
import { decodeText } from "../../src/tool/text-file.ts";
import { regexes, texts } from "./patterns.ts";

/** Whether the wider pattern finds something in the bytes. */
function finds(pattern: string, bytes: Buffer): boolean {
  return new RegExp(pattern, "m").test(bytes.toString("latin1"));
}

test("where a pattern matches a line, the wider one matches its bytes", () => {
  let matched = 0;
  fc.assert(
    fc.property(regexes, fc.array(texts, { minLength: 5, maxLength: 5 }), (expression, all) => {
      const wider = bytePattern(expression);
      if (wider === undefined) return;
      for (const bytes of all) {
        const lines = splitLines(decodeText(bytes, true) as string);
        if (!lines.some((line) => expression.test(line))) continue;
        matched++;
        expect(finds(wider, bytes), `${expression} as /${wider}/ on ${JSON.stringify(bytes.toString("latin1"))}`).toBe(
          true,
        );
      }
    }),
    { numRuns: 3000 },
  );
  // The property says something only where patterns match.
  expect(matched).toBeGreaterThan(2000);
});

test.each([
  [/needle/, "\\x6e\\x65\\x65\\x64\\x6c\\x65"],
  [/a.c/u, "\\x61[\\x00-\\x09\\x0b-\\xff]{1,4}\\x63"],
  [/^é$/u, "^(?:\\xef\\xbb\\xbf)?(?:\\xc3\\xa9)\\r?$"],
  [/\d+(?!x)(?<=1)/u, "[\\x30-\\x39]+"],
  [/a\n/u, "\\x61"],
  [/(?:.|b)*c/u, "[\\x00-\\x09\\x0b-\\xff]*\\x63"],
  [/(a)\1/u, "\\x61[\\x00-\\x09\\x0b-\\xff]*"],
])("%s is widened", (expression, wider) => {
  expect(bytePattern(expression)).toBe(wider);
});

test.each([
  ["a b", "xa b"],
  ["needle", "needles"],
  ["^x$", "xx"],
  ["[^\\s]x", " x"],
  ["\\bfoo\\b", "foobar"],
])("%s stays narrow enough to pass over %j", (source, text) => {
  const expression = new RegExp(source, "u");
  expect(finds(bytePattern(expression) as string, Buffer.from(text))).toBe(expression.test(text));
});

test("syntax that is not known has no wider pattern", () => {
  expect(bytePattern(/\c_/)).toBeUndefined();
});
