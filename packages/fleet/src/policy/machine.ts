import { publicBytes } from "../sign/nkey.ts";
import { readToken } from "../sign/token.ts";
import { type PublicKey, publicKey } from "./key.ts";

/** The key of the machine that a token of NATS is about; nothing for a text that is no token. */
export function keyIn(text: string): PublicKey | undefined {
  const token = readToken(text);
  const bytes = token === undefined ? undefined : publicBytes("user", token.sub);
  return bytes && publicKey(bytes);
}
