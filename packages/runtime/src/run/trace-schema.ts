import * as v from "valibot";
import type { TraceLine } from "./trace.ts";

/**
 * Returns the schema of one line of `--trace`. Values are complete, or replaced with their size and digest if payloads
 * are left out.
 */
export function traceSchema(): v.GenericSchema<unknown, TraceLine> {
  return v.strictObject({
    v: v.literal(1),
    t: v.number(),
    session: v.string(),
    host: v.exactOptional(v.string()),
    agent: v.exactOptional(v.string()),
    probe: v.exactOptional(v.literal(true)),
    event: v.string(),
    lane: v.array(v.string()),
    pass: pass(),
    call: v.exactOptional(callSchema()),
    hooks: v.array(
      v.strictObject({
        ...hookEntries(),
        status: v.picklist(STATUSES),
        ms: v.number(),
        shadow: v.exactOptional(v.literal(true)),
      }),
    ),
    edits: v.array(editSchema()),
    outcome: v.looseObject({}),
    diagnostics: v.array(v.strictObject({ code: v.string(), message: v.string() })),
    ms: v.number(),
  });
}

/** The values of `Status`. */
export const STATUSES = ["answered", "no-answer", "failed", "timed-out", "skipped", "not-reached"] as const;

const pass = () => v.picklist([1, 2]);

/** Returns the schema of a judged call's hash. */
export const callSchema = () => v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));

/** Returns the schemas of the fields that a trace line has for each hook, except the hook's status. */
export const hookEntries = () => ({
  id: v.string(),
  lane: v.string(),
  source: v.string(),
  pass: pass(),
  answer: v.optional(v.unknown()),
  problem: v.exactOptional(v.string()),
  stderr: v.optional(v.unknown()),
});

/** Returns the schema of one edit. A field that did not exist before, or no longer exists, has no value in JSON. */
export const editSchema = () =>
  v.strictObject({
    hook: v.string(),
    lane: v.string(),
    field: v.string(),
    from: v.optional(v.unknown()),
    to: v.optional(v.unknown()),
    pass: pass(),
  });
