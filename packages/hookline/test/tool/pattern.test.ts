import { expect, test } from "vitest";
import { compilePattern, mayBacktrack } from "../../src/tool/pattern.ts";

test.each<[string, Parameters<typeof compilePattern>[1], string, boolean]>([
  ["fo+", {}, "xfoo", true],
  ["FO", {}, "foo", false],
  ["FO", { ignoreCase: true }, "foo", true],
  ["ÉT", { ignoreCase: true }, "été", true],
  ["a.b", { literal: true }, "axb", false],
  ["a.b(", { literal: true }, "a.b(", true],
  ["[x]|{1}-/", { literal: true }, "[x]|{1}-/", true],
  ["a.B", { literal: true, ignoreCase: true }, "A.b", true],
  ["(?i)FO", {}, "foo", true],
  ["(?i)FO", { ignoreCase: true }, "foo", true],
  ["(?P<name>a)\\k<name>", {}, "aa", true],
  ["[[:digit:]]+x", {}, "12x", true],
  ["[^[:space:]]$", {}, "a", true],
  ["^.$", {}, "👍", true],
  ["interface{}", {}, "type x interface{}", true],
  ["\\-\\:", {}, "-:", true],
  ["", {}, "", true],
])("%s %j on %s: %s", (pattern, options, line, expected) => {
  expect(compilePattern(pattern, options).test(line)).toBe(expected);
});

test("a pattern that cannot be read is an error that says what to do", () => {
  expect(() => compilePattern("foo(")).toThrow(
    /^regex parse error: .*Unterminated group.* Use literal=true for plain text\.$/,
  );
});

test.each(["a\nb", "a\r"])("a line break is refused, because lines are searched one by one: %j", (pattern) => {
  expect(() => compilePattern(pattern, { literal: true })).toThrow("The pattern has a line break");
});

test.each([
  ["foo|bar", false],
  ["^a.c$", false],
  ["\\+\\*", false],
  ["a+", true],
  ["(a|b)*", true],
  ["a{2}", true],
  ["(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)b", false],
  ["(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)b", true],
  [`${"\\|".repeat(20)}`, false],
])("%s may backtrack: %s", (pattern, expected) => {
  expect(mayBacktrack(compilePattern(pattern))).toBe(expected);
});
