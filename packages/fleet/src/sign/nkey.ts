import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";

/** The kinds of NATS keys, by the byte that their text begins with. */
const KINDS = { operator: 14 << 3, account: 0, user: 20 << 3 } as const;

/** The kind of owner of a NATS key. */
export type KeyKind = keyof typeof KINDS;

/** A key pair of NATS: Ed25519 in NATS's encoding. */
export interface Nkey {
  /** The encoded public key: 56 characters, of which the first names the kind. */
  readonly public: string;
  /** The encoded secret: 58 characters. */
  readonly seed: string;
  sign(message: Uint8Array): Buffer;
}

const SEED = 18 << 3;
const KEY_BYTES = 32;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/** The bytes before the 32 bytes of a private key in PKCS #8. */
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");

/** Generates a key pair. */
export function newNkey(kind: KeyKind): Nkey {
  const { d = "" } = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" });
  return nkeyOf(kind, Buffer.from(d, "base64url"));
}

/** Reads the key pair of a seed; throws, without quoting it, if the text is not a seed of this kind. */
export function readNkey(kind: KeyKind, seed: string): Nkey {
  const bytes = decoded(seed);
  const prefix = KINDS[kind];
  const isSeed =
    bytes?.length === KEY_BYTES + 2 && bytes[0] === (SEED | (prefix >> 5)) && bytes[1] === (prefix & 31) << 3;
  if (bytes === undefined || !isSeed) throw new Error(`it is not the seed of ${ARTICLE[kind]} key`);
  return nkeyOf(kind, bytes.subarray(2));
}

const ARTICLE = { operator: "an operator's", account: "an account's", user: "a user's" } as const;

/**
 * Whether this public key made the signature of exactly this message; false for a text that is not a key of the kind.
 */
export function isSignedBy(kind: KeyKind, publicKey: string, message: Uint8Array, signature: Uint8Array): boolean {
  const key = verifier(kind, publicKey);
  return key !== undefined && signature.length === 64 && verify(null, message, key, signature);
}

/** Whether a text is a public key of this kind. */
export function isPublic(kind: KeyKind, text: string): boolean {
  return publicBytes(kind, text) !== undefined;
}

function nkeyOf(kind: KeyKind, secret: Buffer): Nkey {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, secret]), format: "der", type: "pkcs8" });
  const { x = "" } = createPublicKey(key).export({ format: "jwk" });
  const prefix = KINDS[kind];
  return {
    public: encoded(Buffer.concat([Buffer.of(prefix), Buffer.from(x, "base64url")])),
    seed: encoded(Buffer.concat([Buffer.of(SEED | (prefix >> 5), (prefix & 31) << 3), secret])),
    sign: (message) => sign(null, message, key),
  };
}

/** Keys that were read lately: a worker checks the same few machines again and again. */
const known = new Map<string, KeyObject>();
const MOST_KNOWN = 10_000;

function verifier(kind: KeyKind, text: string): KeyObject | undefined {
  const name = `${kind} ${text}`;
  const before = known.get(name);
  if (before !== undefined) return before;
  const bytes = publicBytes(kind, text);
  if (bytes === undefined) return undefined;
  const x = bytes.toString("base64url");
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(name, key);
  return key;
}

/** Returns the 32 bytes of a public key of this kind; `undefined` for any other text. */
export function publicBytes(kind: KeyKind, text: string): Buffer | undefined {
  const bytes = decoded(text);
  return bytes?.length === KEY_BYTES + 1 && bytes[0] === KINDS[kind] ? bytes.subarray(1) : undefined;
}

/** Encodes bytes and their checksum in base 32. */
function encoded(bytes: Buffer): string {
  const whole = Buffer.concat([bytes, Buffer.of(checksum(bytes) & 255, checksum(bytes) >> 8)]);
  let text = "";
  let held = 0;
  let bits = 0;
  for (const byte of whole) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += ALPHABET[(held >> (bits - 5)) & 31];
    held &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + ALPHABET[(held << (5 - bits)) & 31];
}

/** Decodes a key's text; `undefined` if its checksum is wrong or it is not the canonical encoding. */
function decoded(text: string): Buffer | undefined {
  if (text.length > 100) return undefined;
  const bytes: number[] = [];
  let held = 0;
  let bits = 0;
  for (const letter of text) {
    const value = ALPHABET.indexOf(letter);
    if (value < 0) return undefined;
    held = (held << 5) | value;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((held >> bits) & 255);
      held &= (1 << bits) - 1;
    }
  }
  const whole = Buffer.from(bytes);
  if (whole.length < 3 || held !== 0) return undefined;
  const body = whole.subarray(0, -2);
  return whole.readUInt16LE(whole.length - 2) === checksum(body) ? body : undefined;
}

/** Computes the CRC-16 of XMODEM. */
function checksum(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff;
  }
  return crc;
}
