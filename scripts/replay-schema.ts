import * as v from "valibot";
import { CLASSES } from "../packages/runtime/src/replay/compare.ts";
import type { ReplayResult } from "../packages/runtime/src/replay/result.ts";

const count = () => v.pipe(v.number(), v.integer(), v.minValue(0));
const counts = () => v.record(v.string(), count());
const baseline = ["recorded", "current", "none"] as const;

const side = () =>
  v.strictObject({
    decision: v.picklist(["deny", "ask", "allow"]),
    reason: v.exactOptional(v.string()),
    args: v.exactOptional(v.unknown()),
    person: v.exactOptional(v.string()),
  });

const example = () =>
  v.strictObject({
    moment: v.pipe(v.string(), v.description("Source, line and call: `s1:42` or `s1:42.2`.")),
    source: v.string(),
    line: count(),
    t: v.number(),
    before: side(),
    after: side(),
  });

/** Returns the schema of what `hookline replay --json` prints. */
export function replaySchema(): v.GenericSchema<unknown, ReplayResult> {
  const classes = Object.fromEntries(CLASSES.map((name) => [name, count()]));
  return v.strictObject({
    v: v.literal(1),
    partial: v.boolean(),
    baseline: v.picklist([...baseline, "mixed"]),
    sources: v.array(
      v.strictObject({
        id: v.string(),
        path: v.string(),
        kind: v.picklist(["recording", "hookline", "pi", "omp", "claude", "codex", "fleet"]),
        machine: v.pipe(v.exactOptional(v.string()), v.description("The machine of a fleet that it comes from.")),
        baseline: v.picklist(baseline),
        from: v.number(),
        to: v.number(),
        moments: counts(),
        payloads: v.pipe(count(), v.description("How many of its moments have a payload.")),
        skipped: counts(),
        madeUp: v.array(v.string()),
      }),
    ),
    moments: count(),
    asked: count(),
    ...classes,
    notJudged: counts(),
    notAsked: counts(),
    effects: counts(),
    failed: v.array(v.string()),
    groups: v.array(
      v.strictObject({
        hook: v.string(),
        class: v.picklist(CLASSES.filter((name) => name !== "same")),
        shape: v.string(),
        count: count(),
        examples: v.pipe(v.array(example()), v.maxLength(3)),
      }),
    ),
    shadow: v.pipe(
      v.array(
        v.strictObject({
          hook: v.string(),
          asked: count(),
          wouldDeny: count(),
          wouldAsk: count(),
          wouldEdit: count(),
          failed: count(),
          examples: v.pipe(v.array(v.string()), v.maxLength(3)),
        }),
      ),
      v.description("What hooks in shadow said while the sources were recorded."),
    ),
  }) as unknown as v.GenericSchema<unknown, ReplayResult>;
}
