import { expect, test } from "vitest";
import type { HookAsked } from "../../../hookline/src/inspect/api.ts";
import { passesOf } from "../../src/text/waterfall.ts";

const hook = (id: string, lane: string, ms: number | undefined, more: Partial<HookAsked> = {}): HookAsked => ({
  id,
  lane,
  source: "f.ts:1",
  pass: 1,
  status: ms === undefined ? "asked" : "answered",
  ...(ms !== undefined && { ms }),
  ...more,
});
const runs = (hooks: readonly HookAsked[], ms: number) =>
  passesOf(hooks, ms).map(({ pass, bars }) => [pass, bars.map(({ hook: { id }, run }) => [id, run?.from, run?.ms])]);

test("hooks wait for those before them", () => {
  expect(runs([hook("a", "x", 5), hook("b", "x", undefined), hook("c", "y", 2)], 7)).toEqual([
    [
      1,
      [
        ["a", 0, 5],
        ["b", undefined, undefined],
        ["c", 5, 2],
      ],
    ],
  ]);
});

test("hooks of a lane that together took longer than the moment ran side by side", () => {
  expect(runs([hook("a", "x", 5), hook("b", "x", 6), hook("c", "y", 2)], 8)).toEqual([
    [
      1,
      [
        ["a", 0, 5],
        ["b", 0, 6],
        ["c", 6, 2],
      ],
    ],
  ]);
});

test("a second pass starts again, and a hook in shadow comes last", () => {
  expect(runs([hook("s", "x", 3, { shadow: true }), hook("a", "x", 5), hook("b", "x", 1, { pass: 2 })], 6)).toEqual([
    [
      1,
      [
        ["a", 0, 5],
        ["s", 5, 3],
      ],
    ],
    [2, [["b", 0, 1]]],
  ]);
});
