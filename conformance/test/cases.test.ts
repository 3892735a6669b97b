import { readFileSync } from "node:fs";
import { join } from "node:path";
import { dialects } from "@hookline/runtime/dialects";
import { toJsonSchema } from "@valibot/to-json-schema";
import { parse } from "valibot";
import { describe, expect, test } from "vitest";
import { caseFileSchema } from "../case.ts";
import { misnamed, unasked } from "../report.ts";
import { readCases } from "../requirement.ts";
import { runCase } from "../run.ts";

describe.each(dialects.map((dialect) => [dialect.id, dialect] as const))("the cases of %s", (id, dialect) => {
  const cases = readCases(id);

  test("hold", async () => {
    const failures: string[] = [];
    for (const one of cases) {
      const why = await runCase(one, [dialect]);
      if (why !== undefined) failures.push(`${one.id}: ${why}`);
    }
    expect(failures).toEqual([]);
  });

  test("have ids of their own, and every row of every lane has some", () => {
    expect(misnamed(cases)).toEqual([]);
    expect(unasked(cases, dialect)).toEqual([]);
  });
});

test("the cases of all dialects together hold, and are at least forty", async () => {
  const cases = readCases("together");
  expect(misnamed(cases)).toEqual([]);
  expect(cases.length).toBeGreaterThanOrEqual(40);
  for (const one of cases) expect(await runCase(one, dialects), one.id).toBeUndefined();
});

test("the case in the README is one, and holds", async () => {
  const text = readFileSync(join(import.meta.dirname, "../../packages/conformance/README.md"), "utf8");
  const example: unknown = JSON.parse(/```json\n([^`]*)```/.exec(text)?.[1] ?? "");
  const [one] = parse(caseFileSchema, { cases: [example] }).cases;
  expect(one?.id).toBe("pi.input.chain");
  expect(one && (await runCase(one, dialects))).toBeUndefined();
});

// If the schema was changed on purpose, write the new digest down and say so in the changelog: others read these files.
test("schema.json is the schema that the files are read with", () => {
  const written: unknown = JSON.parse(readFileSync(join(import.meta.dirname, "../schema.json"), "utf8"));
  const schema = toJsonSchema(caseFileSchema, { errorMode: "ignore" });
  expect(written).toEqual({ ...schema, title: "Conformance cases of hookline, version 1" });
});
