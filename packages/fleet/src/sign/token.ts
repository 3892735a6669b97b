import * as v from "valibot";
import { isPublic, isSignedBy } from "./nkey.ts";

/** What a user's token of NATS says, once its signature was checked. */
export interface Token {
  readonly name: string;
  /** The user's public key. */
  readonly sub: string;
  /** The key that signed it. */
  readonly iss: string;
  /** The account that the signing key belongs to. */
  readonly account: string;
  /** Epoch seconds. */
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

/** What a token says, if the key that it names has signed it. Whether that key is trusted is for the caller to say. */
export function readToken(text: string): Token | undefined {
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
