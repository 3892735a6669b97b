import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadSecrets } from "../../src/secrets/secrets.ts";

const secrets = await loadSecrets();
const rows = readFileSync(join(import.meta.dirname, "corpus", "commands.txt"), "utf8")
  .trimEnd()
  .split("\n");

test.each(rows.map((row) => [row.slice(0, 4), row.slice(5)]))("%s: %s", (verdict, command) => {
  expect(secrets.command(command) === undefined ? "pass" : "deny").toBe(verdict);
});
