import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { homeCheck } from "../../src/cli/check-files.ts";

test("a home that cannot be created is broken, one that can is fine", () => {
  const folder = mkdtempSync(join(tmpdir(), "hookline-home-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const home = join(folder, "deep", ".hookline");
  expect(homeCheck(home)).toMatchObject({ ok: true, message: `${home} is created when it is first needed` });
  writeFileSync(join(folder, "deep"), "a file");
  expect(homeCheck(home)).toMatchObject({ ok: false, message: expect.stringContaining("no session is kept") });
});
