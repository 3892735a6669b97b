import { describe, expect, test } from "vitest";
import { colourLevel, createChalk } from "../../src/omp/hooks/chalk.ts";
import { oneLine } from "../../src/omp/hooks/context.ts";
import { formatCount, formatDuration, formatNumber, pluralize, truncate } from "../../src/omp/hooks/package-exports.ts";

describe("chalk", () => {
  const chalk = createChalk(3) as any;

  test("styles are opened in the order of the chain and closed in the other", () => {
    expect(chalk.bold.red("x", 1)).toBe("\u001b[1m\u001b[31mx 1\u001b[39m\u001b[22m");
  });

  test("what an inner style has closed is opened again", () => {
    expect(chalk.red(`a${chalk.blue("b")}c`)).toBe("\u001b[31ma\u001b[34mb\u001b[39m\u001b[31mc\u001b[39m");
  });

  test("lines are styled one by one", () => {
    expect(chalk.red("a\nb")).toBe("\u001b[31ma\u001b[39m\n\u001b[31mb\u001b[39m");
  });

  test("colours may be given as numbers and codes", () => {
    expect(chalk.rgb(1, 2, 3)("x")).toBe("\u001b[38;2;1;2;3mx\u001b[39m");
    expect(chalk.hex("#0af").bold("x")).toBe("\u001b[38;2;0;170;255m\u001b[1mx\u001b[22m\u001b[39m");
    expect(chalk.bgHex("ffffff")("x")).toBe("\u001b[48;2;255;255;255mx\u001b[49m");
    expect(chalk.bgRedBright("x")).toBe("\u001b[101mx\u001b[49m");
  });

  test("without colours, and for no text, nothing is added", () => {
    const plain = createChalk(0) as any;
    expect(plain.red("x")).toBe("x");
    expect(chalk.red("")).toBe("");
    plain.level = 1;
    expect(plain.red("x")).toBe("\u001b[31mx\u001b[39m");
    expect(plain.level).toBe(1);
  });

  test.each([
    [{}, true, 3],
    [{}, false, 0],
    [{ NO_COLOR: "1" }, true, 0],
    [{ TERM: "dumb" }, true, 0],
    [{ FORCE_COLOR: "1" }, false, 3],
    [{ FORCE_COLOR: "0" }, true, 0],
  ])("with %o on a terminal (%s) the level is %i", (env, terminal, level) => {
    expect(colourLevel(env, terminal)).toBe(level);
  });
});

describe("formats", () => {
  test.each([
    [0, "0ms"],
    [-5, "0ms"],
    [250, "250ms"],
    [1500, "1.5s"],
    [125_000, "2m5s"],
    [120_000, "2m"],
    [10_800_000, "3h"],
    [187_200_000, "2d4h"],
  ])("%i ms is %s", (ms, shown) => {
    expect(formatDuration(ms)).toBe(shown);
  });

  test.each([
    [999, "999"],
    [1500, "1.5K"],
    [1000, "1K"],
    [25_400, "25K"],
    [2_000_000, "2M"],
    [3_500_000_000, "3.5B"],
  ])("%i is %s", (count, shown) => {
    expect(formatNumber(count)).toBe(shown);
  });

  test("nouns follow their count", () => {
    expect([formatCount("file", 1), formatCount("match", 2), pluralize("entry", 3), pluralize("day", 0)]).toEqual([
      "1 file",
      "2 matches",
      "entries",
      "days",
    ]);
  });

  test("texts are cut with a mark", () => {
    expect([truncate("abcdef", 4), truncate("abc", 4)]).toEqual(["abc…", "abc"]);
  });

  test.each([
    ["a\r\n\tb", "a b"],
    ["  a   b ", "a b"],
    ["", ""],
  ])("a status %j is shown as %j", (given, shown) => {
    expect(oneLine(given)).toBe(shown);
  });
});
