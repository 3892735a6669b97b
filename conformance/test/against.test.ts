import { join } from "node:path";
import { expect, test } from "vitest";
import { compareWith } from "../against.ts";
import { readCases } from "../requirement.ts";
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
    { id: holding.id, dialect: holding.dialect, state: "held" },
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
