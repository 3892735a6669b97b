import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { strayed, takeHome } from "../../../../scripts/test-home.ts";
import { gitFiles } from "../../../../scripts/tracked.ts";

test("a test run has a home folder of its own", () => {
  expect(homedir()).toMatch(/hookline-home-\w+$/);
  expect(homedir()).not.toBe(userInfo().homedir);
});

test("what a run adds, changes and removes in the real home is named", () => {
  const real = mkdtempSync(join(tmpdir(), "hookline-real-"));
  onTestFinished(() => {
    rmSync(real, { recursive: true });
    vi.unstubAllEnvs();
  });
  for (const name of ["HOME", "USERPROFILE", "HOOKLINE_HOME", "J_DATA_PATH"]) vi.stubEnv(name, "/given");
  mkdirSync(join(real, ".hookline"));
  for (const name of ["changed", "removed", "kept"]) writeFileSync(join(real, ".hookline", name), "");

  const leave = takeHome([real]);
  const own = homedir();
  expect(process.env).not.toHaveProperty("HOOKLINE_HOME");
  expect(process.env).not.toHaveProperty("J_DATA_PATH");
  writeFileSync(join(own, "mine"), "");
  mkdirSync(join(real, ".jdata"));
  writeFileSync(join(real, ".hookline/changed"), "more");
  rmSync(join(real, ".hookline/removed"));
  const touched = leave();

  expect(touched.sort()).toEqual([".hookline/changed", ".hookline/removed", ".jdata"].map((path) => join(real, path)));
  expect(strayed(touched)).toContain(join(real, ".jdata"));
  expect(() => readFileSync(join(own, "mine"))).toThrow("ENOENT");
});

test("no test, case, experiment or benchmark has a home folder at a fixed path", () => {
  const files = gitFiles("*.ts").filter((path) => /^(?:bench|conformance|prove)\/|^packages\/\w+\/test\//.test(path));
  expect(files.length).toBeGreaterThan(400);
  const fixed = files.filter((path) => /\b(?:home|hooklineHome): ["'`]\/\w/.test(readFileSync(path, "utf8")));
  expect(fixed).toEqual([]);
});
