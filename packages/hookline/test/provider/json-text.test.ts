import fc from "fast-check";
import { expect, test } from "vitest";
import { readJsonText } from "../../../ground/src/decode/json-fault.ts";

const cases: readonly (readonly [string, string, number, string])[] = [
  ["a comma too many in a mapping", '{\n  "a": 1,\n}', 3, 'there is a "," before "}"'],
  ["a comma too many in a list", "[1,\n2,\n]", 3, 'there is a "," before "]"'],
  ["a missing comma", '{\n  "a": 1\n  "b": 2\n}', 3, '"," or "}" is expected before "b"'],
  ["a missing colon", '{\n  "a" 1\n}', 2, '":" is expected before 1'],
  ["a key without quotes", "{\n  a: 1\n}", 2, '"a" is not JSON'],
  ["single quotes", "{\n  'a': 1\n}", 2, '"\'" is not JSON'],
  ["a text that is not closed", '{\n  "a": "b\n}', 2, "a text is not closed or has a character that must be escaped"],
  ["an early end", '{\n  "a": [1\n', 3, "the file ends too early"],
  ["nothing at all", "", 1, "the file ends too early"],
  ["something after the end", "{}\n{}", 2, 'the end of the file is expected before "{"'],
  ["a number as key", "{\n\n  1: 2}", 3, "a key in quotes is expected before 1"],
  ["the wrong bracket", "[\n1}", 2, '"," or "]" is expected before "}"'],
];

test.each(cases)("%s is found in its line", (_what, source, line, problem) => {
  expect(readJsonText(source)).toEqual({ line, problem });
});

test("JSON is read as the engine reads it", () => {
  fc.assert(
    fc.property(fc.json(), (source) => {
      expect(readJsonText(source)).toEqual({ value: JSON.parse(source) });
    }),
  );
});

test("a fault is found wherever JSON is cut off or mixed up", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 3 }), fc.nat(), fc.string(), (source, seed, noise) => {
      const at = seed % (source.length + 1);
      const result = readJsonText(source.slice(0, at) + noise + source.slice(at, -1));
      if (!("problem" in result)) return;
      expect(result.line).toBeGreaterThan(0);
      expect(result.problem).not.toBe("");
    }),
  );
});
