import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { unbraced } from "../../src/command/braces.ts";

const WORDS = [
  ...[
    "{a,b}",
    "x{a,b}y",
    "{a,b}{c,d}",
    "{a,{b,c}}",
    "{a{b,c}}",
    "{{a,b},c}x{1,2}",
    "{rm,{-rf,x}}",
    "{a,b,}",
    "{,a}",
    "{a}",
    "{}",
    "a",
    "{a,b",
    "{a,b}}",
  ],
  ...[
    "{1..3}",
    "{3..1}",
    "{-1..1}",
    "{01..03}",
    "{8..010}",
    "{-01..1}",
    "{1..9..3}",
    "{9..1..3}",
    "{1..9..-3}",
    "{1..3..0}",
  ],
  ...["{a..c}", "{c..a}", "{a..g..2}", "{A..C}", "x{1..2}{a..b}", "{1..a}", "{1..}", "{..3}", "{1.5..2}", "{aa..b}"],
];

test.each(WORDS)("%s becomes the words that bash makes of it", (word) => {
  const printed = execFileSync("bash", ["-c", `printf '%s\\n' ${word}`], { encoding: "utf8" }).slice(0, -1);
  const isWord = (one: string): boolean => one !== "";
  expect(unbraced(word)?.filter(isWord)).toEqual(printed.split("\n").filter(isWord));
});

test("a word with very many expansions is not expanded", () => {
  expect([unbraced("{1..1000}"), unbraced("{1..9}{1..9}"), unbraced("{1..64}")?.length]).toEqual([
    undefined,
    undefined,
    64,
  ]);
});
