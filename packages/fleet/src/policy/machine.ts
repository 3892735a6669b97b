import { publicBytes } from "../sign/nkey.ts";
import { readToken } from "../sign/token.ts";
import { type PublicKey, publicKey } from "./key.ts";

/** Returns the public key of the user of a NATS token; `undefined` if the text is not a token. */
export function keyIn(text: string): PublicKey | undefined {
  const token = readToken(text);
  const bytes = token === undefined ? undefined : publicBytes("user", token.sub);
  return bytes && publicKey(bytes);
}
