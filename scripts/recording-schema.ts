import * as v from "valibot";
import {
  LEVELS,
  type MomentLine,
  RECORDING_VERSION,
  type RecordingHeader,
} from "../packages/runtime/src/record/line.ts";
import { callSchema, editSchema, hookEntries, STATUSES } from "../packages/runtime/src/run/trace-schema.ts";

const version = () => v.literal(RECORDING_VERSION);

const sceneEntries = () => ({
  session: v.exactOptional(v.string()),
  agent: v.exactOptional(v.string()),
  model: v.exactOptional(v.string()),
  context: v.exactOptional(v.string()),
});

/** The schema of a recording's header. */
export function headerSchema(): v.GenericSchema<unknown, RecordingHeader> {
  return v.strictObject({
    v: version(),
    kind: v.literal("recording"),
    at: v.number(),
    session: v.string(),
    cwd: v.string(),
    hookline: v.string(),
    host: v.exactOptional(v.string()),
    level: v.picklist(LEVELS),
    t: v.number(),
    scene: v.exactOptional(v.strictObject(sceneEntries())),
    sessionFile: v.exactOptional(v.string()),
  });
}

const WOULD = ["deny", "ask", "edit"] as const;

/** Returns the schema of an answer of a hook in shadow. */
export const shadowSchema = () =>
  v.strictObject({
    id: v.string(),
    status: v.picklist(STATUSES),
    ms: v.exactOptional(v.number()),
    answer: v.exactOptional(v.unknown()),
    problem: v.exactOptional(v.string()),
    stderr: v.exactOptional(v.unknown()),
    would: v.exactOptional(v.picklist(WOULD)),
  });

/** Returns the schema of the answer to a guard's `ask`. */
export const askedSchema = () => v.strictObject({ answer: v.picklist(["allow", "deny"]), by: v.string() });

/** Returns the schema of a moment with its references resolved, as a reader yields it. */
export function momentSchema(): v.GenericSchema<unknown, MomentLine> {
  return v.strictObject({
    v: version(),
    n: v.number(),
    t: v.number(),
    event: v.string(),
    turn: v.exactOptional(v.number()),
    call: v.exactOptional(callSchema()),
    scene: v.strictObject({ cwd: v.string(), ...sceneEntries() }),
    payload: v.optional(v.unknown()),
    hooks: v.array(
      v.strictObject({
        ...hookEntries(),
        status: v.picklist([...STATUSES, "asked"]),
        ms: v.exactOptional(v.number()),
        hash: v.exactOptional(v.string()),
        filter: v.exactOptional(v.string()),
        shadow: v.exactOptional(v.literal(true)),
        would: v.exactOptional(v.picklist(WOULD)),
      }),
    ),
    edits: v.array(editSchema()),
    outcome: v.looseObject({}),
    asked: v.exactOptional(askedSchema()),
    redacted: v.exactOptional(v.array(v.string())),
    partial: v.exactOptional(v.array(v.string())),
    ms: v.number(),
  });
}
