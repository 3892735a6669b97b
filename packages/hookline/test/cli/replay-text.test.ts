import type { SourceResult } from "@hookline/runtime/replay";
import { expect, test } from "vitest";
import { baselineText } from "../../src/cli/replay/text.ts";

test.each([
  [["recorded", "none"], "what was recorded, or no hooks at all if nothing was recorded"],
  [["current", "recorded"], "what was recorded, or today's hooks without the change if nothing was recorded"],
] as const)("what sources are compared with is said for each kind: %j", (baselines, text) => {
  const sources = baselines.map((baseline) => ({ baseline }) as SourceResult);
  expect(baselineText({ baseline: "mixed", sources })).toBe(text);
});
