import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { latestKept } from "../../../scripts/performance.ts";

const paper = readFileSync(join(import.meta.dirname, "../../../docs/explanation/fleet-at-scale.md"), "utf8");

/** The rows of the tables with this heading: their cells, without the marks of code. */
function rows(heading: string): string[][] {
  const [, ...tables] = paper.split(`${heading}\n`);
  return tables.flatMap((text) =>
    text
      .slice(text.indexOf("\n") + 1)
      .split("\n\n", 1)
      .flatMap((table) => table.split("\n"))
      .map((row) =>
        row
          .split("|")
          .map((cell) => cell.trim().replaceAll("`", ""))
          .slice(1, -1),
      ),
  );
}

/** Products and quotients from left to right. */
function computed(text: string, values: ReadonlyMap<string, number>): number {
  const [first = "", ...rest] = text.split(" ");
  const numberOf = (word: string): number => values.get(word) ?? Number(word);
  let result = numberOf(first);
  for (let i = 0; i < rest.length; i += 2) {
    const value = numberOf(rest[i + 1] ?? "");
    result = rest[i] === "*" ? result * value : rest[i] === "/" ? result / value : Number.NaN;
  }
  return result;
}

test("the arithmetic about a fleet at scale comes to what the page says", () => {
  const given = [...rows("| figure | value | from |"), ...rows("| figure | value | why |")];
  const values = new Map(given.map(([name = "", value]) => [name, Number(value)]));
  expect([...values.values()].filter((value) => !(value > 0))).toEqual([]);
  const quantities = rows("| quantity | arithmetic | result |");
  expect(quantities.length).toBeGreaterThan(10);
  for (const [name = "", arithmetic = "", result] of quantities) {
    const value = computed(arithmetic, values);
    values.set(name, value);
    expect(Math.abs(value / Number(result) - 1), `${name} = ${arithmetic} is ${value}, not ${result}`).toBeLessThan(
      0.01,
    );
  }
});

test("its figures are those that were kept of the benchmarks", () => {
  const ours = new Map(latestKept()?.cases.map(({ name, ours }) => [name, ours]));
  const given = new Map(rows("| figure | value | from |").map(([name = "", value]) => [name, Number(value)]));
  const measured = {
    askSeconds: (ours.get("fleet-ask-16") ?? 0) / 1e9,
    batchSeconds: (ours.get("fleet-batches") ?? 0) / 1e9,
    askMs: (ours.get("fleet-ask") ?? 0) / 1e6,
    agentKilobytes: ours.get("fleet-agents"),
    spoolMs: ours.get("fleet-spool"),
  };
  for (const [name, value] of Object.entries(measured))
    expect(Number(value?.toPrecision(3)), `${name} in docs/explanation/fleet-at-scale.md`).toBe(given.get(name));
});
