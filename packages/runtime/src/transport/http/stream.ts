import { type IncomingMessage, request as sendRequest } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "@hookline/ground";
import { messageOf } from "@hookline/ground";
import type { HttpStream, HttpStreamCall } from "../../port/http.ts";
import { type Connecting, type ConnectionTarget, connect, Refused } from "./connect.ts";
import { type Pool, requestTo } from "./pool.ts";
import { brokenWords, notSentWords } from "./words.ts";

/** A request to a valid URL, with what is needed to connect. */
export interface Streaming {
  readonly call: HttpStreamCall;
  readonly url: URL;
  readonly target: ConnectionTarget;
  readonly pool: Pool;
  readonly connecting: Connecting;
  readonly clock: Clock;
  /** Ends the exchange at any time. */
  readonly signal: AbortSignal;
}

/** Sends one request over a connection of its own; resolves when the answer's headers have arrived. Never rejects. */
export function stream({ call, url, target, pool, connecting, clock, signal }: Streaming): Promise<HttpStream> {
  if (signal.aborted) return Promise.resolve({ status: "aborted", problem: "aborted" });
  const { promise, resolve } = Promise.withResolvers<HttpStream>();
  let isSent = false;
  const open = (): Promise<Socket> => connect(target, connecting, signal);
  const failed = (error: Error & { readonly code?: string }): void => {
    timer.cancel();
    if (signal.aborted) resolve({ status: "aborted", problem: "aborted" });
    else if (error instanceof Refused) resolve({ status: "refused", problem: error.message });
    else if (isSent) resolve({ status: "broken", problem: brokenWords(url.host, error.code) });
    else resolve({ status: "not-sent", problem: notSentWords(url.host, error) });
  };
  const timer = clock.timer(call.timeoutMs, () => {
    resolve({ status: "timed-out", problem: `no answer within ${call.timeoutMs} ms` });
    request?.destroy();
  });
  let request: ReturnType<typeof sendRequest> | undefined;
  try {
    const to = requestTo(url, target, { pool, open });
    request = sendRequest({ ...to, method: call.method, headers: headersOf(call), signal });
    request.on("error", failed);
    request.on("socket", () => {
      isSent = true;
    });
    request.on("response", (response) => {
      timer.cancel();
      const { statusCode = 0 } = response;
      resolve({ status: "answered", httpStatus: statusCode, headers: flat(response), body: response });
    });
    request.end(call.body);
  } catch (thrown) {
    timer.cancel();
    resolve({ status: "refused", problem: `Node does not send it: ${messageOf(thrown)}` });
  }
  return promise;
}

function headersOf({ headers, body }: HttpStreamCall): Record<string, string> {
  return {
    "user-agent": "hookline",
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    ...(body !== undefined && { "content-length": String(Buffer.byteLength(body)) }),
    "accept-encoding": "identity",
  };
}

function flat({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]],
    ),
  );
}
