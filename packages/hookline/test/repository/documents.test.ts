import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { ROWS } from "../../../../scripts/report-rows.ts";
import { root } from "../../../../scripts/step.ts";
import { gitFiles } from "../../../../scripts/tracked.ts";

/** The maximum number of words of a decision record. */
const MOST_WORDS = 400;

const read = (path: string): string => readFileSync(join(root, path), "utf8");
const wordsOf = (text: string): number => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

test("a decision record has at most 400 words", () => {
  const records = gitFiles("docs/decisions/0*.md");
  expect(records.length).toBeGreaterThan(40);
  const long = records.filter((path) => wordsOf(read(path)) > MOST_WORDS).map((path) => basename(path));
  expect(long).toEqual([]);
});

test("every guarantee that a file cites is on the page, with experiments that are on the report card, or tests", () => {
  const page = read("docs/reference/guarantees.md");
  const rows = [...page.matchAll(/^\| (R\d+) \| .+ \| (.+) \|$/gm)];
  const promised = new Set(rows.map(([, id]) => id));
  expect(rows).toHaveLength(promised.size);
  const held = rows.flatMap(([, id, named = ""]) => named.split(", ").map((name) => [id, name.slice(1, -1)]));
  const isHeld = (name: string): boolean =>
    name.endsWith(".test.ts")
      ? existsSync(join(root, name))
      : existsSync(join(root, "prove", `${name}.ts`)) && name in ROWS;
  expect(held.filter(([, name = ""]) => !isHeld(name))).toEqual([]);
  const cited = ["packages/*/src/**", "prove/**", "docs/decisions/*"]
    .flatMap(gitFiles)
    .flatMap((path) =>
      [...read(path).matchAll(/(?:guarantees?|\(|, |\bto |")(R\d+)\b/g)].map(([, id]) => [path, id] as const),
    );
  expect(cited.length).toBeGreaterThan(50);
  expect(cited.filter(([, id = ""]) => !promised.has(id))).toEqual([]);
});
