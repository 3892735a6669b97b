import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
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

test("embedding in the AI SDK takes about twenty lines", () => {
  const text = readFileSync(join(import.meta.dirname, "../../../examples/vercel-ai-sdk/agent.ts"), "utf8");
  const [, body = ""] = text.split("const runtime =");
  const [own = "", after] = body.split("await runtime.close()");
  expect(after).toBeDefined();
  expect(own).toContain("wrapTools(");
  expect(own.trim().split("\n").length).toBeLessThanOrEqual(24);
});

test("a refused command ends the CI example with 1", () => {
  const { file } = programs.find(({ name }) => name === "ci-policy") as (typeof programs)[number];
  expect(() => execFileSync(process.execPath, [file, "git push"], { stdio: "ignore" })).toThrow();
  expect(execFileSync(process.execPath, [file, "npm test"], { encoding: "utf8" })).toBe("allowed  npm test\n");
});
