import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { gitFiles } from "../../../../scripts/tracked.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");

/**
 * Returns the names that the sources create in hookline's home: in `join(hooklineHome, "name", …)`, and in the home of
 * sessions.
 */
function namesInHome(): string[] {
  const sources = gitFiles("*.ts").filter((path) => /^packages\/\w+\/src\//.test(path));
  const names = sources.flatMap((path) =>
    [...read(path).matchAll(/\bjoin\((?:\w+\.)*hooklineHome, "([\w.-]+)/g)].map(([, name = ""]) => name),
  );
  return [...new Set([...names, "sessions"])].sort();
}

test("the guide names everything that is kept in hookline's home", () => {
  const page = read("docs/guide/install.md");
  const listed = new Set(
    [...page.matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(([, cell = ""]) => cell.match(/[\w.-]+/g) ?? []),
  );
  const names = namesInHome();
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !listed.has(name))).toEqual([]);
});
