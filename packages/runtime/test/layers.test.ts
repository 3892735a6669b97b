import { expect, test } from "vitest";
import { allViolations, violationsOf } from "../../../scripts/layers.ts";

test("the packages keep to their layers", () => {
  expect(allViolations()).toEqual([]);
});

test.each([
  ["fold/bad.ts", 'import { dispatch } from "../run/dispatch.ts";'],
  ["dialect/pi/bad.ts", 'import { createProcessTransport } from "../../transport/process/transport.ts";'],
  ["transport/process/bad.ts", 'import type { Dialect } from "../../dialect/dialect.ts";'],
  ["run/bad.ts", 'import { readFileSync } from "node:fs";'],
  ["catalog/bad.ts", 'const x = await import("../host/runtime.ts");'],
  ["elsewhere/bad.ts", ""],
  ["hook/bad.ts", "// biome-ignore lint: no"],
])("a planted violation in %s is caught", (path, text) => {
  expect(violationsOf(path, text)).toHaveLength(1);
});
