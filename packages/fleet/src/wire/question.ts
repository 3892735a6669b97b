import * as v from "valibot";
import { NAME, PING } from "../name/subjects.ts";
import type { Creds, FleetPart } from "../sign/creds.ts";
import { signedJson } from "../sign/message.ts";
import { readSigned } from "../sign/signed.ts";

/** The content type that a question is signed as; a message signed as another type is not read as a question. */
export const QUESTION_TYPE = "application/vnd.hookline.fleet-question.v1+json";

/** The header with the token of the machine that asks, by which its signature is checked. */
export const TOKEN_HEADER = "Hookline-Token";

/** The largest question, and the largest answer, in bytes. */
export const MOST_BYTES = 512 * 1024;

/**
 * Schema of an object that is not an array: valibot's record schema accepts an array and returns it without its
 * elements.
 */
export const plainObject = () =>
  v.pipe(
    v.custom<Readonly<Record<string, unknown>>>((value) => typeof value === "object" && !Array.isArray(value)),
    v.record(v.string(), v.unknown()),
  );

const text = () => v.pipe(v.string(), v.minLength(1), v.maxLength(200));
const schema = v.strictObject({
  v: v.literal(1),
  /** Id of the question, which stays the same when it is repeated. */
  id: v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{22}$/)),
  machine: v.pipe(v.string(), v.regex(NAME)),
  session: text(),
  /** The model's id of the tool call. */
  call: v.optional(text()),
  /** 2 if the hooks are asked again, about the final call. */
  pass: v.picklist([1, 2]),
  event: text(),
  /** How long the agent waits for the answer. */
  deadlineMs: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(600_000)),
  /** The bundle's whole digest. */
  bundle: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  /** The fields of the event that the hooks need. */
  payload: plainObject(),
  /** The agent's working folder, if a hook needs it. */
  cwd: v.optional(v.string()),
  /** Trace context that connects the worker's spans to those of the agent. */
  trace: v.optional(v.string()),
});

/** A question of an agent to a worker. */
export type Question = v.InferOutput<typeof schema>;

/** Writes a question, signed by the machine that asks. */
export function writeQuestion(question: Question, { key }: Pick<Creds, "key">): Buffer {
  return signedJson(QUESTION_TYPE, question, (message) => key.sign(message));
}

/** A question, or the reason why it must not be answered. */
export type QuestionRead =
  | { readonly ok: true; readonly question: Question }
  | { readonly ok: false; readonly problem: string };

/**
 * Reads a question; it must be complete, and signed by a machine that was enrolled in this fleet as an agent and that
 * the question names. Publishers may only ping workers.
 */
export function readQuestion(
  bytes: Uint8Array,
  tokenText: string,
  fleet: Pick<FleetPart, "account" | "signers">,
  now = Date.now(),
): QuestionRead {
  const no = (problem: string): QuestionRead => ({ ok: false, problem });
  if (bytes.length > MOST_BYTES) return no("it is longer than 512 KiB");
  const signed = readSigned(QUESTION_TYPE, bytes, tokenText, { fleet, roles: ["agent", "publisher"], now });
  if (!signed.ok) return signed;
  const read = v.safeParse(schema, signed.value, { abortEarly: true });
  if (!read.success) return no(`its field ${v.getDotPath(read.issues[0]) ?? "?"} has the wrong form`);
  if (read.output.machine !== signed.machine) return no("it names another machine than its token");
  if (signed.role !== "agent" && read.output.event !== PING)
    return no("a publisher may only ask which workers are present");
  return { ok: true, question: read.output };
}
