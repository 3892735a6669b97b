import { closeSync, openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { isNullDevice, isRegularFile } from "../../src/cli/outlet.ts";

test.skipIf(process.platform === "win32").each([
  ["/dev/null", true, false],
  ["/dev/zero", false, false],
  [fileURLToPath(import.meta.url), false, true],
])("%s is the null device: %s, and a regular file: %s", (path, isNull, isRegular) => {
  const file = openSync(path, "r");
  try {
    expect([isNullDevice(file), isRegularFile(file)]).toEqual([isNull, isRegular]);
  } finally {
    closeSync(file);
  }
  expect([isNullDevice(file), isRegularFile(file)]).toEqual([false, false]);
});
