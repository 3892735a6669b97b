import * as v from "valibot";
import { NAME } from "../name/subjects.ts";
import type { Creds, FleetPart } from "../sign/creds.ts";
import { signedJson } from "../sign/message.ts";
import { type Believed, readSigned, type SignedRead } from "../sign/signed.ts";
import { MOST_BYTES, plainObject } from "../wire/question.ts";

/** The type in the signature of a question to a person. */
const APPROVAL_TYPE = "application/vnd.hookline.fleet-approval.v1+json";
/** The type in the signature of the answer. */
const VERDICT_TYPE = "application/vnd.hookline.fleet-verdict.v1+json";

const name = () => v.pipe(v.string(), v.regex(NAME));
const time = () => v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const hash = () => v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));
/** Schema of an id: 64 random bits in hexadecimal. */
const id = () => v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/));
const reason = () => v.optional(v.pipe(v.string(), v.maxLength(MOST_REASON)));

/** The longest reason, in characters. */
export const MOST_REASON = 2000;
/** The most approvals that a call may need: as many as a root may have keys. */
const MOST_APPROVERS = 16;
/** The most hooks that a question names. */
export const MOST_HOOKS = 20;
/** The longest id of a hook in a question, in characters. */
export const MOST_HOOK = 400;

const approval = v.strictObject({
  v: v.literal(1),
  id: id(),
  machine: name(),
  tool: v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
  args: plainObject(),
  /** The reason that the machine's hooks give for asking. */
  reason: reason(),
  /** The ids of the hooks that ask. */
  hooks: v.optional(v.pipe(v.array(v.pipe(v.string(), v.maxLength(MOST_HOOK))), v.maxLength(MOST_HOOKS))),
  /** The hash of the call that would run; traces and recordings contain the same. */
  call: hash(),
  /** The time until which an answer counts, by the machine's clock, in epoch ms. */
  expires: time(),
  /** The number of approvers who must approve and the names of those who have; absent if one is enough. */
  approvals: v.optional(
    v.strictObject({
      wanted: v.pipe(v.number(), v.safeInteger(), v.minValue(2), v.maxValue(MOST_APPROVERS)),
      by: v.pipe(v.array(name()), v.maxLength(MOST_APPROVERS)),
    }),
  ),
  /**
   * The outcome, once the question is over: an approver answered, a person at the machine did, or nobody did in time.
   */
  settled: v.optional(
    v.strictObject({
      by: v.union([name(), v.picklist(["(here)", "(nobody)"])]),
      /** The answer of the approver. */
      answer: v.optional(v.picklist(["allow", "deny"])),
    }),
  ),
});

const verdict = v.strictObject({
  v: v.literal(1),
  id: id(),
  machine: name(),
  call: hash(),
  expires: time(),
  answer: v.picklist(["allow", "deny"]),
  reason: reason(),
});

/** A question of an agent to a person of its fleet. */
export type Approval = v.InferOutput<typeof approval>;

/** A person's answer about exactly one call of one machine. */
export type ApproverAnswer = v.InferOutput<typeof verdict>;

/** Writes a question, signed by the machine that asks. */
export function writeApproval(said: Approval, { key }: Pick<Creds, "key">): Buffer {
  return signedJson(APPROVAL_TYPE, said, (message) => key.sign(message));
}

/** Writes an answer, signed by the approver. */
export function writeVerdict(said: ApproverAnswer, { key }: Pick<Creds, "key">): Buffer {
  return signedJson(VERDICT_TYPE, said, (message) => key.sign(message));
}

type Part = Pick<FleetPart, "account" | "signers">;

/** A verified message and its sender, or the reason why it must not be believed. */
type Read<T> =
  | { readonly ok: true; readonly said: T; readonly by: string }
  | { readonly ok: false; readonly problem: string };

/** Reads a question. A machine may ask only about itself. */
export function readApproval(bytes: Uint8Array, token: string, fleet: Part): Read<Approval> {
  const read = readAs(APPROVAL_TYPE, approval, { bytes, token, believed: { fleet, roles: ["agent"] } });
  if (read.ok && read.by !== read.said.machine)
    return { ok: false, problem: "it names another machine than its token" };
  return read;
}

/** Reads an approver's answer. Anything but the answer to exactly this question is a problem. */
export function readVerdict(bytes: Uint8Array, token: string, fleet: Part, asked: Approval): Read<ApproverAnswer> {
  const read = readAs(VERDICT_TYPE, verdict, { bytes, token, believed: { fleet, roles: ["approver"] } });
  if (!read.ok) return read;
  const wrong = (["id", "machine", "call", "expires"] as const).find((field) => read.said[field] !== asked[field]);
  return wrong === undefined ? read : { ok: false, problem: `its field ${wrong} belongs to another question` };
}

function readAs<T>(
  type: string,
  schema: v.GenericSchema<unknown, T>,
  { bytes, token, believed }: { readonly bytes: Uint8Array; readonly token: string; readonly believed: Believed },
): Read<T> {
  if (bytes.length > MOST_BYTES) return { ok: false, problem: "it is longer than 512 KiB" };
  const signed: SignedRead = readSigned(type, bytes, token, believed);
  if (!signed.ok) return signed;
  const read = v.safeParse(schema, signed.value, { abortEarly: true });
  if (read.success) return { ok: true, said: read.output, by: signed.machine };
  return { ok: false, problem: `its field ${v.getDotPath(read.issues[0]) ?? "?"} has the wrong form` };
}
