import type { ReplayResult } from "@hookline/runtime/replay";
import { expect, test } from "vitest";
import { baselineText, resultText } from "../../src/cli/replay/text.ts";

test.each([
  [["recorded", "none"], "what was recorded, or no hooks at all if nothing was recorded"],
  [["current", "recorded"], "what was recorded, or today's hooks without the change if nothing was recorded"],
] as const)("what sources are compared with is said for each kind: %j", (baselines, text) => {
  const sources = baselines.map((baseline) => ({ baseline }) as ReplayResult["sources"][number]);
  expect(baselineText({ baseline: "mixed", sources })).toBe(text);
});

test("why a moment is not judged is said in words", () => {
  const counts = {
    moments: 4,
    asked: 4,
    same: 0,
    sources: [],
    groups: [],
    shadow: [],
    failed: [],
    notAsked: {},
    effects: {},
  };
  const notJudged = { redacted: 1, "no-model": 1, "no-payload": 1, "not-started": 1 };
  const text = resultText({ ...counts, notJudged, baseline: "recorded" } as unknown as ReplayResult);
  expect(text.match(/^ {6}1 {2}not judged: .*$/gm)).toEqual([
    "      1  not judged: the recording leaves out what they were shown",
    "      1  not judged: they ask a model, and no answer is recorded",
    "      1  not judged: the source does not hold all that they were shown",
    "      1  not judged: their programs only observe there, and are not started without --event or --observers",
  ]);
});
