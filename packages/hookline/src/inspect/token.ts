import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** Makes the secret of one run of the server: 256 bits. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/** Returns whether a header has the token. The comparison always takes the same time, so it reveals nothing. */
export function hasToken(authorization: string | undefined, token: string): boolean {
  const given = /^Bearer ([\w-]{1,256})$/.exec(authorization ?? "")?.[1] ?? "";
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}
