import type { IncomingMessage } from "node:http";
import { BadRequest } from "./bad-request.ts";

/** The most bytes of a body: a reason of 2000 characters, each written as `\uXXXX`, has room in it. */
const MOST_BYTES = 16 * 1024;

/** Reads a small JSON body. Rejects with a `BadRequest` if it is too large or says that it is something else. */
export function jsonBody(request: IncomingMessage): Promise<Uint8Array> {
  const type = request.headers["content-type"] ?? "";
  if (!/^application\/json(?: *; *charset=utf-8)?$/i.test(type))
    throw new BadRequest("Send the answer as application/json.", 415, "wrong-type");
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MOST_BYTES) chunks.push(chunk);
      else reject(new BadRequest(`The body is longer than ${MOST_BYTES} bytes.`, 413, "too-large"));
    });
    request.on("end", () => resolve(Buffer.concat(chunks)));
    request.on("error", () => reject(new BadRequest("The request has ended early.")));
  });
}
