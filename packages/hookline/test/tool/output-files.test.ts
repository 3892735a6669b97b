import { existsSync, readdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { NO_HOME } from "../../../../scripts/no-home.ts";
import { dropOutputs, OUTPUT_DAYS, openOutputFile, outputFolder } from "../../src/tool/output-files.ts";
import { makeFolder } from "./folder.ts";

const DAY_S = 86_400;

function aged(path: string, days: number, now: number): string {
  utimesSync(path, now / 1000 - days * DAY_S, now / 1000 - days * DAY_S);
  return path;
}

test("outputs of kept sessions stay for a week, and are their owner's alone", () => {
  const home = makeFolder();
  const now = Date.now();
  const folder = outputFolder(home, true);
  const fresh = openOutputFile(folder).path;
  const young = aged(openOutputFile(folder).path, OUTPUT_DAYS - 1, now);
  const old = aged(openOutputFile(folder).path, OUTPUT_DAYS + 1, now);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(fresh).mode & 0o777).toBe(0o600);
  dropOutputs(home, folder, now);
  expect([fresh, young, old].map((path) => existsSync(path))).toEqual([true, true, false]);
});

test("outputs of a run that keeps no session go with it; other runs keep theirs", () => {
  const home = makeFolder();
  const [one, other] = [outputFolder(home, false), outputFolder(home, false)];
  openOutputFile(one);
  const kept = openOutputFile(other).path;
  dropOutputs(home, one);
  expect(existsSync(one)).toBe(false);
  expect(existsSync(kept)).toBe(true);
});

test("a folder left by an ended run is removed after a week; other files stay", () => {
  const home = makeFolder({ "outputs/notes.txt": "mine", "elsewhere/file": "theirs" });
  const now = Date.now();
  const left = outputFolder(home, false);
  openOutputFile(left);
  symlinkSync(join(home, "elsewhere"), join(home, "outputs/run-link"));
  writeFileSync(join(home, "outputs/notes.txt"), "mine");
  aged(join(home, "outputs/notes.txt"), 100, now);
  aged(left, OUTPUT_DAYS + 1, now);
  dropOutputs(home, outputFolder(home, true), now);
  expect(readdirSync(join(home, "outputs")).sort()).toEqual(["notes.txt", "run-link"]);
  expect(existsSync(join(home, "elsewhere/file"))).toBe(true);
});

test("nothing to remove is not a fault", () => {
  expect(() => dropOutputs(join(makeFolder(), "absent"), join(NO_HOME, "outputs"))).not.toThrow();
});
