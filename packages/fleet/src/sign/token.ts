import * as v from "valibot";
import { isPublic, isSignedBy } from "./nkey.ts";

/** A user's token of NATS whose signature is verified. */
export interface Token {
  readonly name: string;
  /** The user's public key. */
  readonly sub: string;
  /** The key that signed the token. */
  readonly iss: string;
  /** The account that the signing key belongs to. */
  readonly account: string;
  /** The time at which the token expires, in epoch seconds. */
  readonly exp?: number | undefined;
}

const header = v.object({ alg: v.literal("ed25519-nkey") });
const claims = v.object({
  name: v.string(),
  sub: v.string(),
  iss: v.string(),
  exp: v.optional(v.number()),
  nats: v.object({ type: v.literal("user"), issuer_account: v.optional(v.string()) }),
});

/** Tokens that were read lately. A machine sends the same one each time, so its signature is checked only once. */
const known = new Map<string, Token>();
const MOST_KNOWN = 10_000;
/** The longest token to keep, in characters, so that askers cannot fill the memory. Usual tokens have about 700. */
const LONGEST_KNOWN = 2000;

/**
 * Reads a token and checks that the key it names has signed it. The caller must check each time whether that key is
 * trusted, and whether the token has expired.
 */
export function readToken(text: string): Token | undefined {
  const before = known.get(text);
  if (before !== undefined) return before;
  const read = readNew(text);
  if (read === undefined || text.length > LONGEST_KNOWN) return read;
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(text, read);
  return read;
}

function readNew(text: string): Token | undefined {
  const [head = "", body = "", signature = "", ...more] = text.split(".");
  if (more.length > 0 || !v.is(header, jsonOf(head))) return undefined;
  const read = v.safeParse(claims, jsonOf(body));
  if (!read.success) return undefined;
  const { name, sub, iss, exp, nats } = read.output;
  if (!isPublic("user", sub)) return undefined;
  const signed = isSignedBy("account", iss, Buffer.from(`${head}.${body}`), Buffer.from(signature, "base64url"));
  return signed ? { name, sub, iss, account: nats.issuer_account ?? iss, exp } : undefined;
}

function jsonOf(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, "base64url").toString());
  } catch {
    return undefined;
  }
}
