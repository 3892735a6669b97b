import * as v from "valibot";
import { readEnvelope, requireSigned, seal } from "../policy/envelope.ts";
import { type PublicKey, type Signer, sha256 } from "../policy/key.ts";
import { nameSchema } from "../policy/names.ts";
import { Refused } from "../policy/refused.ts";
import { countSchema, hashSchema, readStrict, timeSchema } from "../policy/strict.ts";

/** The type of an envelope with a batch's seal. */
export const BATCH_TYPE = "application/vnd.hookline.fleet-batch.v1+json";

/** The largest content of a batch, in bytes; a message may have 1 MiB. */
export const MOST_CONTENT_BYTES = 512 * 1024;

/** The `prev` of a writer's first batch, before which there is no seal. */
export const NOTHING = "0".repeat(64);

const LF = 10;

/** The signed part of a batch. */
export interface Seal {
  readonly v: 1;
  readonly fleet: string;
  readonly machine: string;
  readonly writer: string;
  /** The batch's number: from 1, without a gap. */
  readonly n: number;
  /** SHA-256 of the previous seal; `NOTHING` for the first batch. */
  readonly prev: string;
  /** The time at which the batch was sealed, in epoch ms. */
  readonly t: number;
  /** Position of the content in the writer's recording, in bytes. */
  readonly from: number;
  readonly bytes: number;
  /** The hash of the batch's content. */
  readonly sha256: string;
}

/** A part of a writer's recording, as it is sent to the fleet. */
export interface Batch {
  readonly seal: Seal;
  /** SHA-256 of the seal's exact bytes, which the next batch has as `prev`. */
  readonly hash: string;
  readonly content: Buffer;
}

const schema: v.GenericSchema<unknown, Seal> = v.strictObject({
  v: v.literal(1),
  fleet: nameSchema(),
  machine: nameSchema(),
  writer: nameSchema(),
  n: countSchema(),
  prev: hashSchema(),
  t: timeSchema(),
  from: timeSchema(),
  bytes: countSchema(),
  sha256: hashSchema(),
});

const MOST_SEAL_BYTES = 4096;

/** Returns the line of a seal, signed, and the hash that the next seal has as `prev`. */
export function sealLine(about: Seal, key: Signer): { readonly line: Buffer; readonly hash: string } {
  const payload = Buffer.from(JSON.stringify(about));
  return { line: seal(BATCH_TYPE, payload, [key]), hash: sha256(payload) };
}

/** Reads a seal without its content and without checking its signature; throws `Refused` for anything else. */
export function readSeal(line: Uint8Array): { readonly seal: Seal; readonly hash: string } {
  const { payload } = readEnvelope(line, BATCH_TYPE, "a batch");
  return { seal: readStrict(payload, schema, { what: "a batch", maxBytes: MOST_SEAL_BYTES }), hash: sha256(payload) };
}

/** Whether this key has signed the seal on a line. */
export function isSealedBy(line: Uint8Array, key: PublicKey): boolean {
  try {
    requireSigned(readEnvelope(line, BATCH_TYPE, "a batch"), { keys: [key], threshold: 1 }, "a batch");
    return true;
  } catch {
    return false;
  }
}

/** Writes a batch as a message: the line of its seal, and its content. */
export function messageOfBatch(line: Uint8Array, content: Uint8Array): Buffer {
  return Buffer.concat([line, content]);
}

/**
 * Reads a message; throws `Refused` unless its content matches the seal and, with `key`, that key has signed the seal.
 */
export function readBatch(message: Uint8Array, key?: PublicKey): Batch {
  const end = message.indexOf(LF);
  if (end < 0) throw new Refused("json", "a batch: its first line has no end");
  const line = message.subarray(0, end + 1);
  const content = Buffer.from(message.subarray(end + 1));
  const { seal, hash } = readSeal(line);
  if (key !== undefined)
    requireSigned(
      readEnvelope(line, BATCH_TYPE, "a batch"),
      { keys: [key], threshold: 1 },
      `batch ${seal.n} of ${seal.writer}`,
    );
  if (content.length !== seal.bytes || sha256(content) !== seal.sha256)
    throw new Refused("hash", `batch ${seal.n} of ${seal.writer} is not what was signed`);
  return { seal, hash, content };
}
