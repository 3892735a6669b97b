import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { compareWith } from "../against.ts";
import { dialectIds, readCases } from "../requirement.ts";
import { casesIn, dialectsIn, resultOf, written } from "../result.ts";
import { holding } from "./plant.ts";

const node = [process.execPath, "--conditions=hookline-source"];
const program = (body: string): string[] => [
  process.execPath,
  "-e",
  `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => { const one = JSON.parse(line); ${body} });`,
];

test("hookline itself, as a program, holds every case of a dialect and of all together", async () => {
  const cases = [...readCases("jcli"), ...readCases("together")];
  const compared = await compareWith([...node, join(import.meta.dirname, "../self.ts")], cases);
  expect(compared.filter(({ state }) => state !== "held")).toEqual([]);
  expect(compared).toHaveLength(cases.length);
});

test("a program is not shown what is expected, and what it does not tell is not compared", async () => {
  const spoken = program('console.log(JSON.stringify({ id: one.id, answer: "expect" in one ? 1 : {} }))');
  expect(await compareWith(spoken, [{ ...holding, expect: { answer: {}, asked: [0, 0], tookMs: 5 } }])).toEqual([
    { id: holding.id, dialect: holding.dialect, state: "held", told: [] },
  ]);
});

test("a wrong answer, no answer and a case that is left out are told apart", async () => {
  const cases = ["a", "b", "c"].map((id) => ({ ...holding, id: `${holding.dialect}.x.${id}` }));
  const spoken = program(
    'if (one.id.endsWith("a")) console.log(JSON.stringify({ id: one.id, answer: { no: 1 } })); if (one.id.endsWith("b")) console.log("{"); if (one.id.endsWith("c")) console.log(JSON.stringify({ id: one.id, skip: "no such lane" }))',
  );
  expect((await compareWith(spoken, cases)).map(({ state, why }) => [state, why])).toEqual([
    ["differs", expect.stringMatching(/answer/)],
    ["differs", "it ended without an answer"],
    ["left out", "no such lane"],
  ]);
  const [gone] = await compareWith(["/no/such/program"], cases);
  expect(gone?.why).toMatch(/ENOENT/);
});

test("a program that waits for more after its last answer is ended", async () => {
  const waits = program(`console.log(JSON.stringify({ id: one.id, answer: {} })); setInterval(() => {}, 1000);`);
  const [held] = await compareWith(waits, [{ ...holding, expect: { answer: {} } }]);
  expect(held?.state).toBe("held");
});

describe("the result that others are shown", () => {
  const folder = join(import.meta.dirname, "..");

  test("is of the cases that were asked for", () => {
    expect(dialectsIn(folder)).toEqual(dialectIds(folder).sort());
    expect(casesIn(folder, {})).toEqual(dialectsIn(folder).flatMap((id) => readCases(id)));
    expect(casesIn(folder, { dialect: "pi", case: ".input." }).every(({ id }) => id.startsWith("pi.input."))).toBe(
      true,
    );
    expect(() => casesIn(folder, { dialect: "nobody" })).toThrow('no dialect "nobody". Choose from chibi, claude');
    expect(() => casesIn(folder, { case: "no-such-case" })).toThrow('No case has "no-such-case" in its id');
  });

  test("names the version, what was told besides, and what was left out", async () => {
    const spoken = program(
      'console.log(JSON.stringify(one.id.endsWith("chain") ? { id: one.id, answer: { text: "b" }, asked: [0, 1, 2] } : one.id.endsWith("least") ? { id: one.id, answer: 1 } : { id: one.id, skip: "not done" }))',
    );
    const cases = casesIn(folder, { case: "pi.input." });
    const result = await resultOf(spoken, cases, "9.9.9");
    const leftOut = cases.length - 2;
    expect(result).toMatchObject({ conformance: "9.9.9", format: 1, command: spoken });
    expect(result.dialects).toEqual({ pi: { held: 1, differs: 1, leftOut, told: { asked: 1 } } });
    expect(JSON.parse(written(result, { json: true }))).toEqual(result);
    expect(written(result, { markdown: true })).toContain(
      `| @hookline/conformance 9.9.9 | held | differ | left out | compared besides the answer |\n|---|--:|--:|--:|---|\n| pi | 1 | 1 | ${leftOut} | asked 1 |`,
    );
    expect(written(result, {})).toBe(
      `pi.input.least: answer: wanted {}, got 1\npi        1 held, 1 differ, ${leftOut} left out\n`,
    );
  });
});
