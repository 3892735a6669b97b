/**
 * End of a signed JSON object on one line: `{…,"sig":"…"}`. The signature is always the last member, in exactly this
 * form, so that every reader checks the same bytes.
 */
const TAIL = /,"sig":"([A-Za-z0-9_-]{86})"\}$/;
/** Length of what `TAIL` matches, in bytes: 86 of the signature and 10 around it. */
const TAIL_BYTES = 96;

/** Returns the bytes to sign: DSSE's pre-authentication encoding of a type and exact bytes. */
function encoding(type: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`DSSEv1 ${Buffer.byteLength(type)} ${type} ${body.length} `), body]);
}

/** Writes an object with at least one member, signed as the content type `type`. */
export function signedJson(type: string, object: object, sign: (message: Uint8Array) => Buffer): Buffer {
  const body = Buffer.from(JSON.stringify(object));
  const sig = sign(encoding(type, body)).toString("base64url");
  return Buffer.concat([body.subarray(0, -1), Buffer.from(`,"sig":"${sig}"}`)]);
}

/**
 * Splits a signed object into its text without the signature, and the signature with the bytes that it must sign;
 * `undefined` if the bytes are not a signed object.
 */
export function openSigned(
  type: string,
  bytes: Uint8Array,
): { readonly body: Buffer; readonly message: Buffer; readonly signature: Buffer } | undefined {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [, sig] = TAIL.exec(all.subarray(-TAIL_BYTES).toString("latin1")) ?? [];
  if (sig === undefined) return undefined;
  const body = Buffer.concat([all.subarray(0, -TAIL_BYTES), Buffer.from("}")]);
  const signature = Buffer.from(sig, "base64url");
  if (signature.toString("base64url") !== sig) return undefined;
  return { body, message: encoding(type, body), signature };
}
