import type { IncomingMessage } from "node:http";
import { BadRequest } from "./bad-request.ts";
import { hasToken } from "./token.ts";

/** The headers of every response. There are no CORS headers, so no other page may read a response. */
export const HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** Accepts requests from the server's own page under the server's own name; throws a `BadRequest` for all others. */
export function checkRequest({ method, headers, rawHeaders }: IncomingMessage, port: number): void {
  const hosts = valuesOf(rawHeaders, "host");
  const own = [`127.0.0.1:${port}`, `localhost:${port}`];
  const [host = ""] = hosts;
  if (hosts.length !== 1 || !own.includes(host.toLowerCase()))
    throw new BadRequest(`This server only answers to 127.0.0.1:${port}.`, 421, "wrong-host");
  const origins = valuesOf(rawHeaders, "origin");
  const isOwn = origins.length === 0 || (origins.length === 1 && origins[0] === `http://${host.toLowerCase()}`);
  const isFollowed = METHODS.includes(method ?? "") && headers["sec-fetch-mode"] === "navigate";
  if (!isOwn || (headers["sec-fetch-site"] === "cross-site" && !isFollowed))
    throw new BadRequest("Requests from other pages are refused.", 403, "forbidden");
}

/** The HTTP methods that the server accepts; none changes anything. */
export const METHODS: readonly string[] = ["GET", "HEAD"];

/** Throws a `BadRequest` if the request does not have the token. */
export function checkToken({ headers }: IncomingMessage, token: string): void {
  if (!hasToken(headers.authorization, token))
    throw new BadRequest(
      "The token is missing or wrong. Open the address that `hookline inspect` has printed.",
      401,
      "unauthorized",
    );
}

/** Returns all values of a header as received, because Node joins or drops repeated ones. */
function valuesOf(raw: readonly string[], name: string): string[] {
  return raw.flatMap((word, at) => (at % 2 === 0 && word.toLowerCase() === name ? [raw[at + 1] as string] : []));
}
