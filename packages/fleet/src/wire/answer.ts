import * as v from "valibot";
import { readJson } from "../kit.ts";
import { NAME } from "../name/subjects.ts";
import { MOST_BYTES, plainObject, type Question } from "./question.ts";

/**
 * Reasons why a worker did not ask its hooks. `bundle`: it serves another one. `overload`: too many questions at once.
 * `event`: it has no hook for it. `input`: the question cannot be read, or is not from an agent.
 */
const CODES = ["bundle", "overload", "event", "input"] as const;

const name = () => v.pipe(v.string(), v.regex(NAME));
const id = () => v.pipe(v.string(), v.maxLength(200));
const answer = v.strictObject({
  v: v.literal(1),
  id: id(),
  worker: name(),
  bundle: v.string(),
  /** The hooks' answers combined. */
  answer: plainObject(),
  /** For each changed field of the answer, the hook that changed it. */
  edits: v.array(v.strictObject({ hook: v.string(), field: v.string() })),
  /** The result of each hook. */
  hooks: v.array(v.strictObject({ hook: v.string(), status: v.string(), ms: v.number() })),
  ms: v.number(),
});
const error = v.strictObject({
  v: v.literal(1),
  id: id(),
  worker: v.optional(name()),
  error: v.strictObject({ code: v.picklist(CODES), message: v.pipe(v.string(), v.maxLength(2000)) }),
});
const schema = v.union([answer, error]);

/** The answer of a worker's hooks. */
export type Answer = v.InferOutput<typeof answer>;

/** The reason why a worker did not ask its hooks. */
export type Refusal = v.InferOutput<typeof error>;

/** Writes an answer; one that is too large becomes an error. */
export function writeAnswer(said: Answer | Refusal): Buffer {
  const bytes = Buffer.from(JSON.stringify(said));
  if (bytes.length <= MOST_BYTES) return bytes;
  const message = "the answer is longer than 512 KiB";
  return Buffer.from(JSON.stringify({ v: 1, id: said.id, error: { code: "input", message } } satisfies Refusal));
}

/** A worker's answer, or the reason why the reply cannot count as the answer to this question. */
export type AnswerRead =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly problem: string };

/** Reads the reply to a question. Anything but the answer to exactly that question is a problem. */
export function readAnswer(bytes: Uint8Array, { id, bundle }: Pick<Question, "id" | "bundle">): AnswerRead {
  const no = (problem: string): AnswerRead => ({ ok: false, problem });
  const reading = readJson(bytes, { maxBytes: MOST_BYTES });
  if (!reading.ok) return no(`a bad answer: ${reading.message}`);
  if (reading.duplicates.length > 0) return no("a bad answer: it has a field twice");
  const read = v.safeParse(schema, reading.value, { abortEarly: true });
  if (!read.success) return no(`a bad answer: its field ${v.getDotPath(read.issues[0]) ?? "?"} has the wrong form`);
  const said = read.output;
  if (said.id !== id) return no("a bad answer: it is for another question");
  if ("error" in said) return no(`the worker refused the question (${said.error.code}): ${said.error.message}`);
  if (said.bundle !== bundle) return no("a bad answer: it comes from another bundle");
  return { ok: true, answer: said };
}
