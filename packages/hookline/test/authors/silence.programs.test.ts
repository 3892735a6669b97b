import { expect, test } from "vitest";
import { MISCONFIGURED } from "../../../../prove/silence/cases.ts";
import { claim } from "../../../../prove/silence.ts";

test("each way to misconfigure a hook is named in the load report, with its remedy", async () => {
  const finding = await claim.run("quick");
  expect(finding.notes).toEqual([]);
  expect(finding).toMatchObject({ n: MISCONFIGURED.length, violations: 0 });
});

test("there are sixty ways and more, over the four dialects", () => {
  expect(MISCONFIGURED.length).toBeGreaterThanOrEqual(60);
  for (const dialect of ["jcli", "chibi", "omp", "pi"])
    expect(MISCONFIGURED.filter((way) => way.dialect === dialect).length, dialect).toBeGreaterThanOrEqual(12);
  expect(new Set(MISCONFIGURED.map(({ dialect, name }) => `${dialect} ${name}`)).size).toBe(MISCONFIGURED.length);
});
