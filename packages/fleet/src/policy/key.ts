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
  /** SHA-256 of the 32 bytes, in hexadecimal, so that a key has only one name. */
  readonly keyid: string;
  /** The key's 32 bytes. */
  readonly bytes: Buffer;
  readonly key: KeyObject;
}

/** Signs with an Ed25519 key, which need not be in this process. */
export interface Signer {
  readonly keyid: string;
  sign(message: Uint8Array): Buffer;
}

/** An Ed25519 key that signs. */
export interface SigningKey extends PublicKey, Signer {}

/** Length of an Ed25519 public key. */
export const KEY_BYTES = 32;
/** Length of an Ed25519 signature. */
export const SIGNATURE_BYTES = 64;

/** Makes the public key with these 32 bytes; throws `Refused` for another length. */
export function publicKey(bytes: Uint8Array): PublicKey {
  if (bytes.length !== KEY_BYTES)
    throw new Refused("field", `a public key has ${KEY_BYTES} bytes, not ${bytes.length}`);
  const x = Buffer.from(bytes).toString("base64url");
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
  return { keyid: sha256(bytes), bytes: Buffer.from(bytes), key };
}

/** Generates a key. */
export function newSigningKey(): SigningKey {
  return signingKeyOf(generateKeyPairSync("ed25519").privateKey);
}

/**
 * Reads the key in a PEM text (PKCS #8); throws `Refused`, without quoting the text, if it is not an Ed25519 private
 * key.
 */
export function readSigningKey(pem: string): SigningKey {
  try {
    return signingKeyOf(createPrivateKey(pem));
  } catch {
    throw new Refused("field", "it is not an Ed25519 private key in PEM");
  }
}

/** Generates a key as the PEM text that `readSigningKey` reads. */
export function newKeyText(): string {
  return generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }) as string;
}

/** Whether this key made the signature of exactly this message. */
export function isSignature(signature: Uint8Array, message: Uint8Array, { key }: PublicKey): boolean {
  return signature.length === SIGNATURE_BYTES && verify(null, message, key, signature);
}

/** SHA-256 in hexadecimal. */
export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Combines a private key with its public key; throws `TypeError` if it is not an Ed25519 key. */
export function signingKeyOf(secret: KeyObject): SigningKey {
  if (secret.asymmetricKeyType !== "ed25519") throw new TypeError(`${secret.asymmetricKeyType} is not ed25519`);
  const { x = "" } = createPublicKey(secret).export({ format: "jwk" });
  return { ...publicKey(Buffer.from(x, "base64url")), sign: (message) => sign(null, message, secret) };
}
