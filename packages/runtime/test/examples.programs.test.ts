import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { examplePrograms, isHere } from "../../../scripts/examples.ts";

const programs = examplePrograms();

test("there are four ways of embedding, and two examples of each dialect", () => {
  const names = programs.map(({ name }) => name);
  const EMBEDDING = ["ci-policy", "plain-loop", "vercel-ai-sdk", "web-server"];
  expect(names).toEqual(expect.arrayContaining(EMBEDDING));
  for (const dialect of ["pi", "omp", "jcli", "chibi"])
    expect(names.filter((name) => name.startsWith(`${dialect}-`)).length).toBeGreaterThanOrEqual(2);
});

test.each(programs.filter(({ needs }) => needs === undefined || isHere(needs)))(
  "the example $name holds what it says",
  ({ file }) => {
    expect(execFileSync(process.execPath, [file], { encoding: "utf8" })).not.toBe("");
  },
);

test("a refused command ends the CI example with 1", () => {
  const { file } = programs.find(({ name }) => name === "ci-policy") as (typeof programs)[number];
  expect(() => execFileSync(process.execPath, [file, "git push"], { stdio: "ignore" })).toThrow();
  expect(execFileSync(process.execPath, [file, "npm test"], { encoding: "utf8" })).toBe("allowed  npm test\n");
});
