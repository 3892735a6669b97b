import * as v from "valibot";
import type { TraceLine } from "./trace.ts";

/** The schema of one line of `--trace`. Values are as they were, or where payloads are left out their size and digest. */
export function traceSchema(): v.GenericSchema<unknown, TraceLine> {
  return v.strictObject({
    v: v.literal(1),
    t: v.number(),
    session: v.string(),
    event: v.string(),
    lane: v.array(v.string()),
    pass: v.picklist([1, 2]),
    call: v.exactOptional(v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))),
    hooks: v.array(
      v.strictObject({
        id: v.string(),
        lane: v.string(),
        source: v.string(),
        pass: v.picklist([1, 2]),
        status: v.picklist(["answered", "no-answer", "failed", "timed-out", "skipped", "not-reached"]),
        ms: v.number(),
        answer: v.optional(v.unknown()),
        problem: v.exactOptional(v.string()),
        stderr: v.optional(v.unknown()),
      }),
    ),
    edits: v.array(
      v.strictObject({
        hook: v.string(),
        lane: v.string(),
        field: v.string(),
        // A field that was not there before, or is not there now, has no value in JSON.
        from: v.optional(v.unknown()),
        to: v.optional(v.unknown()),
        pass: v.picklist([1, 2]),
      }),
    ),
    outcome: v.looseObject({}),
    diagnostics: v.array(v.strictObject({ code: v.string(), message: v.string() })),
    ms: v.number(),
  });
}
