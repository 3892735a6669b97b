import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { footprintOf, judged } from "../../../../scripts/footprint.ts";

function installed(packages: readonly string[], bytes: number): string {
  const top = mkdtempSync(join(tmpdir(), "hookline-footprint-"));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  for (const path of packages) {
    const file = join(top, "lib", path, "package.json");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "{}");
  }
  const large = join(top, "lib", packages[0] ?? "", "dist");
  mkdirSync(large, { recursive: true });
  // A package's own folders are none, whatever is in them.
  writeFileSync(join(large, "package.json"), "");
  truncateSync(join(large, "package.json"), bytes - 2 * packages.length);
  return top;
}

const SIX = ["a", "@s/b", "@s/c", "a/node_modules/d", "a/node_modules/@s/e", "a/node_modules/d/node_modules/f"];

test("packages are counted in scopes and below each other, and every byte is", () => {
  const top = installed(
    SIX.map((path) => `node_modules/${path}`),
    1_000_000,
  );
  expect(footprintOf(top)).toEqual({ packages: 6, megabytes: 1 });
  mkdirSync(join(top, "bin"));
  symlinkSync("../lib", join(top, "bin/x"));
  expect(footprintOf(top).packages).toBe(6);
});

test.each([
  [12, 39_900_000, true],
  [13, 1_000_000, false],
  [1, 40_000_000, false],
  [0, 1_000_000, false],
])("%i packages with %i bytes: %s", (packages, bytes, holds) => {
  const names = Array.from({ length: packages }, (_, index) => `node_modules/p${index}`);
  expect(judged(footprintOf(installed(names, bytes))).holds).toBe(holds);
});
