import { globOf } from "@hookline/runtime/command";
import { expect, test } from "vitest";
import { pathTest } from "../../src/secrets/files.ts";
import { matcherOf } from "../../src/undo/glob.ts";

/** Patterns of paths, with paths that they match and paths that they do not. */
const ROWS: readonly [pattern: string, matches: readonly string[], others: readonly string[]][] = [
  ["src/*.ts", ["src/a.ts", "src/.ts"], ["src/a/b.ts", "src/a_ts"]],
  ["src/?.ts", ["src/a.ts"], ["src/ab.ts", "src//.ts"]],
  ["src/?é[[:alpha:]-].ts", ["src/😀éñ.ts", "src/aé-.ts"], ["src/ab.ts"]],
  ["src/\u{1f600}*", ["src/\u{1f600}.ts"], ["src/\u{1f601}.ts"]],
  ["src/[\u{1f600}b].ts", ["src/\u{1f600}.ts", "src/b.ts"], ["src/\u{1f601}.ts"]],
  ["src/[ab].ts", ["src/a.ts", "src/b.ts"], ["src/c.ts", "src/[ab].ts"]],
  ["src/[!ab].ts", ["src/c.ts"], ["src/a.ts"]],
  ["src/[[:digit:]].ts", ["src/7.ts"], ["src/a.ts"]],
  ["src/[![:alpha:]_]*.ts", ["src/7a.ts"], ["src/a.ts", "src/_.ts"]],
  ["src/[]a].ts", ["src/].ts", "src/a.ts"], ["src/b.ts"]],
  ["src/[!]a].ts", ["src/b.ts"], ["src/].ts", "src/a.ts"]],
  ["src/**/x.ts", ["src/x.ts", "src/a/x.ts", "src/a/b/x.ts"], ["src/ax.ts", "x.ts"]],
  ["src/**", ["src/a", "src/a/b"], ["other/a"]],
  ["src/[z-a].ts", ["src/[z-a].ts"], ["src/z.ts", "src/a.ts"]],
  ["src/a+(b).ts", ["src/a+(b).ts"], ["src/aab.ts"]],
];

test.each(ROWS)("%s means the same to all guards", (pattern, matches, others) => {
  const readers = { commands: (path: string) => globOf(pattern).test(path), secrets: pathTest([pattern]) };
  for (const [name, reads] of Object.entries(readers)) {
    expect(matches.filter(reads), name).toEqual(matches);
    expect(others.filter(reads), name).toEqual([]);
  }
  const bytes = (path: string): string => Buffer.from(path).toString("latin1");
  const matcher = matcherOf([pattern]) as (path: string) => boolean;
  const undo = (path: string): boolean => matcher(bytes(path));
  expect(matches.filter(undo)).toEqual(matches);
  expect(others.filter(undo)).toEqual([]);
});

test("a name without a slash matches in any folder", () => {
  expect([globOf("*.log").test("a.log"), pathTest(["*.log"])("x/a.log")]).toEqual([true, true]);
  const undo = matcherOf(["*.log", "big[0-9]"]) as (path: string) => boolean;
  expect(["a.log", "x/a.log", "a.log/x", "x/big7/y"].filter(undo)).toHaveLength(4);
  expect(["a.logs", "bigger"].filter(undo)).toEqual([]);
});

// As a regular expression, each of these would be tried for longer than anybody waits.
test("a pattern is read and tested in steps that grow with its length", () => {
  const name = "a".repeat(4000);
  for (const pattern of ["*a*a*a*a*a*a*a*a*b", "**/**/**/**/**/*a*a*a*a/b", `${"?*".repeat(50)}b`])
    expect(globOf(pattern).test(name)).toBe(false);
  for (const set of [`[${'"a"'.repeat(900)}`, `[${"'".repeat(1001)}`, `[${"[:a:]".repeat(700)}`, "[".repeat(4000)])
    expect(globOf(set).test("x")).toBe(false);
  expect(globOf(`${"x".repeat(5000)}[`).test("y")).toBe(true);
});
