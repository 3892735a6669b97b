import type { SourceResult } from "@hookline/runtime/replay";
import { expect, test } from "vitest";
import { baselineText } from "../../src/cli/replay/text.ts";

test.each([
  [["recorded", "none"], "what was recorded, or no hooks at all where nothing was"],
  [["current", "recorded"], "what was recorded, or today's hooks without the change where nothing was"],
] as const)("what sources are compared with is said for each kind: %j", (baselines, text) => {
  const sources = baselines.map((baseline) => ({ baseline }) as SourceResult);
  expect(baselineText({ baseline: "mixed", sources })).toBe(text);
});
