import { ReadableStream } from "node:stream/web";
import type { Tier } from "@hookline/ground";
import type { HttpStream, HttpTransport } from "@hookline/runtime/engine";

/** The largest message of a server, in bytes (guarantees R8): a whole response, or one event of a stream. */
const MOST_BYTES = 8 * 1024 * 1024;
const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** The transport, the tier and the limits for HTTP requests to one server. */
export interface FetchParts {
  readonly http: Pick<HttpTransport, "open">;
  readonly tier: Tier;
  /** The name of the server in records of requests. */
  readonly label: string;
  /** Time limit until the headers of a response arrive, in ms. */
  readonly timeoutMs: number;
}

/** Makes `fetch` for the client library. It checks addresses, follows no redirects, and limits size and time. */
export function serverFetch({ http, tier, label, timeoutMs }: FetchParts) {
  return async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const { method = "GET", body, signal } = init;
    if (method !== "GET" && method !== "POST" && method !== "DELETE") throw new TypeError(`${method} is not sent`);
    if (body !== undefined && body !== null && typeof body !== "string") throw new TypeError("only text is sent");
    const answer = await http.open({
      url: String(url),
      method,
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof body === "string" && { body }),
      tier,
      label,
      timeoutMs,
      ...(signal && { signal }),
    });
    if (answer.status === "answered") return responseOf(answer);
    signal?.throwIfAborted();
    throw new TypeError(answer.problem);
  };
}

function responseOf({ httpStatus, headers, body }: Extract<HttpStream, { status: "answered" }>): Response {
  const init = { status: httpStatus, headers: new Headers(headers) };
  if (NO_BODY.has(httpStatus)) {
    void body[Symbol.asyncIterator]().return?.();
    return new Response(null, init);
  }
  const isStream = headers["content-type"]?.startsWith("text/event-stream") === true;
  return new Response(ReadableStream.from(limited(body, isStream)) as BodyInit, init);
}

/** Passes bytes on; throws if one message is too large. */
async function* limited(body: AsyncIterable<Uint8Array>, isStream: boolean): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of body) {
    // An empty line ends an event. If it is split between two chunks, it is missed, and two events are counted as one.
    const end = isStream
      ? Math.max(Buffer.from(chunk).lastIndexOf("\n\n"), Buffer.from(chunk).lastIndexOf("\n\r\n"))
      : -1;
    size = end < 0 ? size + chunk.length : chunk.length - end;
    if (size > MOST_BYTES) throw new Error(`the server sent a message of more than ${MOST_BYTES} bytes`);
    yield chunk;
  }
}
