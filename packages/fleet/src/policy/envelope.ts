import * as v from "valibot";
import { isSignature, type PublicKey, SIGNATURE_BYTES, type Signer } from "./key.ts";
import { Refused } from "./refused.ts";
import { base64Schema, readStrict } from "./strict.ts";

/** Largest envelope, in bytes. */
export const MOST_ENVELOPE_BYTES = 512 * 1024;
const MOST_SIGNATURES = 32;

/** A DSSE envelope: exact bytes, their type, and signatures that are not yet checked. */
export interface Envelope {
  readonly payloadType: string;
  readonly payload: Buffer;
  readonly signatures: readonly Buffer[];
}

/** The trusted keys, and how many of them must have signed. */
export interface Signers {
  readonly keys: readonly PublicKey[];
  readonly threshold: number;
}

const schema = v.strictObject({
  payloadType: v.string(),
  payload: base64Schema(),
  signatures: v.pipe(
    v.array(v.strictObject({ keyid: v.exactOptional(v.string()), sig: base64Schema(SIGNATURE_BYTES) })),
    v.maxLength(MOST_SIGNATURES),
  ),
});

/** Returns the bytes to sign: DSSE's pre-authentication encoding of a type and exact bytes. */
export function encoded(payloadType: string, payload: Uint8Array): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}

/** Returns the bytes of an envelope that each of the keys has signed. */
export function seal(payloadType: string, payload: Uint8Array, keys: readonly Signer[]): Buffer {
  const message = encoded(payloadType, payload);
  const signatures = keys.map((key) => ({ keyid: key.keyid, sig: key.sign(message).toString("base64") }));
  const envelope = { payloadType, payload: Buffer.from(payload).toString("base64"), signatures };
  return Buffer.from(`${JSON.stringify(envelope)}\n`);
}

/**
 * Reads an envelope of a type without checking signatures; throws `Refused` for anything else. `what` names it in
 * errors.
 */
export function readEnvelope(bytes: Uint8Array, payloadType: string, what: string): Envelope {
  const read = readStrict(bytes, schema, { what, maxBytes: MOST_ENVELOPE_BYTES });
  if (read.payloadType !== payloadType)
    throw new Refused("type", `${what}: its type is ${JSON.stringify(read.payloadType)}, not ${payloadType}`);
  return { ...read, signatures: read.signatures.map(({ sig }) => sig) };
}

/**
 * Throws `Refused` unless enough of the trusted keys have signed. Each trusted key is tried on each signature; the key
 * ids in an envelope are not signed, so they are ignored.
 */
export function requireSigned({ payloadType, payload, signatures }: Envelope, signers: Signers, what: string): void {
  const message = encoded(payloadType, payload);
  const signed = signers.keys.filter((key) => signatures.some((signature) => isSignature(signature, message, key)));
  const distinct = new Set(signed.map(({ keyid }) => keyid)).size;
  if (signers.threshold >= 1 && distinct >= signers.threshold) return;
  throw new Refused("signature", `${what}: ${distinct} of the trusted keys signed it, but ${signers.threshold} must`);
}
