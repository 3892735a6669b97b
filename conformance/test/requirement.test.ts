import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { dialectIds, readCases, readRequirements, uncoveredLines } from "../requirement.ts";
import { holding } from "./plant.ts";

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A folder with these cases of chibi in one file. */
function folderWith(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "hookline-cases-"));
  made.push(folder);
  mkdirSync(join(folder, "cases/chibi"), { recursive: true });
  writeFileSync(join(folder, "cases/chibi/planted.json"), text);
  return folder;
}

const withCase = (one: object): string => folderWith(JSON.stringify({ cases: [one] }));

test("a file of cases is read as it is", () => {
  expect(readCases("chibi", withCase(holding))).toEqual([holding]);
});

test("a dialect without cases has none", () => {
  expect(readCases("nobody", withCase(holding))).toEqual([]);
});

test.each<[string, object, RegExp]>([
  ["an unknown key", { ...holding, expected: {} }, /planted\.json at cases\.0\.expected/],
  ["an unknown key of a hook", { ...holding, hooks: [{ event: "x", awnser: 1 }] }, /at cases\.0\.hooks\.0\.awnser/],
  ["no answer", { ...holding, expect: {} }, /at cases\.0\.expect\.answer/],
  ["an id that says nothing", { ...holding, id: "planted" }, /at cases\.0\.id/],
  ["neither requirement nor source", { ...holding, cites: [] }, /cites no requirement and names no source/],
])("a case with %s is refused with its place", (_, wrong, why) => {
  expect(() => readCases("chibi", withCase(wrong))).toThrow(why);
});

test("a case that is of no requirement may name its source", () => {
  const one = { ...holding, cites: [], source: "spec/chibi.md 1.3" };
  expect(readCases("chibi", withCase(one))).toEqual([one]);
});

test("a file that is no JSON is refused by its name", () => {
  expect(() => readCases("chibi", folderWith("{ cases"))).toThrow(/^chibi\/planted\.json: /);
});

test("a line is covered by requirements and prose, with or without a range; lines of bars alone count for nothing", () => {
  const requirement = { id: "a", text: "", seed: "009:1-2, 009:4", status: "met" } as const;
  const file = { requirements: [requirement], prose: ["009:6", "008:7"] };
  expect(uncoveredLines(file, "009", "a\nb\nc\nd\n  \nf\ng\n| |\n")).toEqual([3, 7]);
});

test("the requirements of every dialect have an id of their own, a text, a place and a status", () => {
  for (const dialect of dialectIds()) {
    const { requirements } = readRequirements(dialect);
    expect(new Set(requirements.map(({ id }) => id)).size).toBe(requirements.length);
    for (const { id, text, seed, source, status } of requirements) {
      expect(id).toMatch(new RegExp(`^${dialect}\\.`));
      expect(text).not.toBe("");
      expect(seed ?? `source ${source}`, id).toMatch(/^(\d{3}:\d+|source .*(spec|law|ruling|hookline|catalog))/);
      expect(["met", "deviates", "open"], id).toContain(status);
    }
  }
});

test("the deviations of every dialect have an id of their own and say what is done here", () => {
  for (const dialect of dialectIds()) {
    const { deviations = [] } = readRequirements(dialect);
    expect(new Set(deviations.map(({ id }) => id)).size).toBe(deviations.length);
    for (const { id, here, about, there } of deviations) {
      expect(id).toMatch(new RegExp(`^${dialect}\\.deviation\\.`));
      expect(here).not.toBe("");
      expect(about ?? there ?? here, id).not.toBe("");
    }
  }
});
