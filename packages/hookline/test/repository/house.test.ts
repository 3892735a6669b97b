import { expect, test } from "vitest";
import { allHouseViolations, houseViolations } from "../../../../scripts/house.ts";

test("the sources keep to the house rules", () => {
  expect(allHouseViolations()).toEqual([]);
});

test.each([
  ["a/long.ts", "const x = 1;\n".repeat(701), /701|702/],
  ["a/Upper.ts", "", /lower case/],
  ["a/string-utils.ts", "", /says nothing/],
  ["a/bare.ts", "export function bare(): void {}\n", /line 1: an export without a docstring/],
  ["a/usual.ts", "export default function () {}\n", /line 1: a default export/],
  ["a/real.ts", "const real = realpathSync(path);\n", /line 1: .* use realpathSync\.native/],
  ["a/later.ts", "const x = 1; // TODO more\n", /left for later/],
])("a planted violation in %s is caught", (path, text, said) => {
  expect(houseViolations(path, text)).toEqual([{ file: path, problem: expect.stringMatching(said) }]);
});

test("what is described, handed on or overloaded is no violation", () => {
  const text = `/** Twice. */
export function twice(x: number): number;
export function twice(x: never): never {
  return x;
}

export { one } from "./one.ts";
export type { Two } from "./two.ts";
`;
  expect(houseViolations("a/fine.ts", text)).toEqual([]);
});
