import { describe, expect, test } from "vitest";
import { globMatcher } from "../../src/tool/glob.ts";

describe("from the top", () => {
  test.each([
    ["*.ts", "src/deep/a.ts", true],
    ["*.ts", "a.tsx", false],
    ["*.ts", ".hidden.ts", true],
    ["src/*.ts", "src/a.ts", true],
    ["src/*.ts", "src/deep/a.ts", false],
    ["src/*.ts", "lib/src/a.ts", false],
    ["./src/*.ts", "src/a.ts", true],
    ["src/**/*.ts", "src/a.ts", true],
    ["src/**/*.ts", "src/a/b/c.ts", true],
    ["src/**", "src/a/.b", true],
    ["src/**", "src", false],
    ["**", "a/b", true],
    ["**/a", "a", true],
    ["a?c", "abc", true],
    ["a?c/d", "a/c/d", false],
    ["[!a]b", "cb", true],
    ["[!a]b", "ab", false],
    ["[a-c]1", "b1", true],
    ["*.{ts,tsx}", "a.tsx", true],
    ["{src,test}/*", "test/a", true],
    ["app/(group)/*.ts", "app/(group)/a.ts", true],
    ["@(a)", "a", false],
    ["@(a)", "@(a)", true],
    ["!a", "!a", true],
    ["a|b", "a|b", true],
    ["\\[id\\].ts", "[id].ts", true],
    ["A.ts", "a.ts", false],
    ["", "a", false],
  ])("%s on %s: %s", (glob, path, expected) => {
    expect(globMatcher(glob)(path)).toBe(expected);
  });
});

test.each([
  ["src/*.ts", "lib/src/a.ts", true],
  ["src/*.ts", "src/a.ts", true],
  ["/src/*.ts", "src/a.ts", false],
  ["src/*.ts", "lib/xsrc/a.ts", false],
])("anywhere, %s on %s: %s", (glob, path, expected) => {
  expect(globMatcher(glob, { anywhere: true })(path)).toBe(expected);
});

test("case can be ignored", () => {
  expect(globMatcher("readme*", { ignoreCase: true })("docs/README.md")).toBe(true);
});

describe("limited", () => {
  const many = `${"*a".repeat(8)}*b`;

  test("a glob of many wildcards gives up a name that takes too long, and all after it", () => {
    const matches = globMatcher(many, { limited: true });
    expect(matches("aaaaaaaab")).toBe(true);
    expect(() => matches("a".repeat(80))).toThrow(`The glob ${many} takes too long on aaaa`);
    expect(() => matches("b".repeat(80))).toThrow("takes too long on bbbb");
  });

  test("a glob of many wildcards matches long names", () => {
    const matches = globMatcher(many, { limited: true });
    const name = `${"xa".repeat(40)}b`;
    expect([matches(name), matches(`${"x".repeat(80)}b`)]).toEqual([true, false]);
  });
});
