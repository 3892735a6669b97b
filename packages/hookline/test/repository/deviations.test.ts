import { expect, test } from "vitest";
import { dialectIds, readRequirements } from "../../../../conformance/requirement.ts";
import { deviations, unmatched } from "../../../../scripts/deviations.ts";

const row = { id: "pi.deviation.x", here: "something else", measured: "x" };

test("the READMEs and the differential tests list the same deviations", () => {
  expect(dialectIds().flatMap((id) => unmatched(id, readRequirements(id).deviations ?? []))).toEqual([]);
});

test("what the differential tests take out stands under its name in the README", () => {
  expect(deviations("pi")).toContain("| `systemMessages` |");
  expect(deviations("omp")).toContain("| `returnedInput` |");
});

test("a deviation that is only in the test data is named", () => {
  expect(unmatched("pi", [row], { x: {}, y: {} })).toEqual([expect.stringMatching(/allow "y".*pi\.yaml/)]);
});

test("a deviation that is only in the README is named", () => {
  expect(unmatched("pi", [row], {})).toEqual([expect.stringMatching(/"measured: x".*know no such deviation/)]);
});

test("a name that is listed twice is named", () => {
  expect(unmatched("pi", [row, row], { x: {} })).toEqual([expect.stringMatching(/"measured: x" twice/)]);
});

test("deviations that nothing measures need no name", () => {
  expect(unmatched("pi", [{ id: "pi.deviation.y", here: "y" }], {})).toEqual([]);
});
