import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import { Refused } from "./refused.ts";

/** An Ed25519 key that signatures are checked with. */
export interface PublicKey {
  /** SHA-256 of the 32 bytes, in hexadecimal: no two names for one key. */
  readonly keyid: string;
  /** Its 32 bytes. */
  readonly bytes: Buffer;
  readonly key: KeyObject;
}

/** Signs with an Ed25519 key, wherever the key is kept. */
export interface Signer {
  readonly keyid: string;
  sign(message: Uint8Array): Buffer;
}

/** An Ed25519 key that signs. */
export interface SigningKey extends PublicKey, Signer {}

/** How long an Ed25519 public key is. */
export const KEY_BYTES = 32;
/** How long an Ed25519 signature is. */
export const SIGNATURE_BYTES = 64;

/** The key with these 32 bytes; throws `Refused` for another length. */
export function publicKey(bytes: Uint8Array): PublicKey {
  if (bytes.length !== KEY_BYTES)
    throw new Refused("field", `a public key has ${KEY_BYTES} bytes, not ${bytes.length}`);
  const x = Buffer.from(bytes).toString("base64url");
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
  return { keyid: sha256(bytes), bytes: Buffer.from(bytes), key };
}

/** A key that nobody has had before. */
export function newSigningKey(): SigningKey {
  return signingKeyOf(generateKeyPairSync("ed25519").privateKey);
}

/** The key in a PEM text (PKCS #8); throws `Refused` for what is no Ed25519 private key, without quoting it. */
export function readSigningKey(pem: string): SigningKey {
  try {
    return signingKeyOf(createPrivateKey(pem));
  } catch {
    throw new Refused("field", "it is not an Ed25519 private key in PEM");
  }
}

/** A new key as the PEM text that `readSigningKey` reads. */
export function newKeyText(): string {
  return generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }) as string;
}

/** Whether a signature is this key's for exactly this message. */
export function isSignature(signature: Uint8Array, message: Uint8Array, { key }: PublicKey): boolean {
  return signature.length === SIGNATURE_BYTES && verify(null, message, key, signature);
}

/** SHA-256 in hexadecimal. */
export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** A private key with its public one; throws `TypeError` for another kind than Ed25519. */
export function signingKeyOf(secret: KeyObject): SigningKey {
  if (secret.asymmetricKeyType !== "ed25519") throw new TypeError(`${secret.asymmetricKeyType} is not ed25519`);
  const { x = "" } = createPublicKey(secret).export({ format: "jwk" });
  return { ...publicKey(Buffer.from(x, "base64url")), sign: (message) => sign(null, message, secret) };
}
