import { randomUUID } from "node:crypto";
import { type ClientRequest, type IncomingMessage, request as sendRequest } from "node:http";
import type { Socket } from "node:net";
import { messageOf, SIZE_LIMITS } from "@hookline/ground";
import type { HttpCall, HttpReport } from "../../port/http.ts";
import { isTelemetry } from "../../port/trace-context.ts";
import { keepWhole } from "../process/output.ts";
import { type Connecting, type ConnectionTarget, connect, Refused } from "./connect.ts";
import { type Pool, requestTo } from "./pool.ts";
import { brokenWords, isOurs, notSentWords } from "./words.ts";

/** The maximum size of an answer in bytes (guarantees R56). Answers are not decompressed, so this is what arrives. */
export const MAX_BODY_BYTES: number = SIZE_LIMITS.httpAnswer.most;

/** The request's header with the call's id. An answer that has it with another id counts as broken. */
const CALL_ID = "x-hookline-call";

/** The result of a call, without its times. */
export type Ended = Omit<HttpReport, "queueMs" | "runMs">;

/** The progress of a call, for the report if the call times out or is aborted. */
export interface Seen {
  phase: "connecting" | "waiting for the answer" | "reading the answer";
  head: Pick<HttpReport, "httpStatus" | "contentType">;
}

/** A call to a valid URL, with what is needed to connect. */
export interface Exchange {
  readonly call: HttpCall;
  readonly url: URL;
  readonly target: ConnectionTarget;
  readonly pool: Pool;
  readonly connecting: Connecting;
  readonly seen: Seen;
  /** Aborts the call, whose later result is ignored. */
  readonly signal: AbortSignal;
}

/** Returns a report without an answer. */
export const noAnswer = (status: HttpReport["status"], problem: string): Ended => ({
  status,
  body: "",
  bodyValid: true,
  problem,
  ...(status === "refused" && { isOurs: true }),
});

/**
 * Sends one call and reads its answer. If a kept connection turns out to be closed before the request could be written,
 * it is replaced by a new one, once: the server cannot have acted on the request. If the request was written and no
 * answer came, the server may have acted on it, and the call fails.
 */
export async function exchange(parts: Exchange): Promise<Ended> {
  // The other side may have closed a kept connection; Node notices that within two rounds of the event loop.
  for (let round = 0; round < 2 && parts.pool.isKeeping; round++) await new Promise((done) => setImmediate(done));
  const id = randomUUID();
  const first = await send(parts, id);
  if (first !== "unsent") return first;
  parts.pool.closeIdle();
  const second = await send(parts, id);
  return second === "unsent" ? noAnswer("broken", brokenWords(parts.url.host, "EPIPE")) : second;
}

function send({ call, url, target, pool, connecting, seen, signal }: Exchange, id: string): Promise<Ended | "unsent"> {
  const { promise, resolve } = Promise.withResolvers<Ended | "unsent">();
  let request: ClientRequest | undefined;
  const onAbort = (): void => void request?.destroy();
  const end = (ended: Ended | "unsent"): void => {
    signal.removeEventListener("abort", onAbort);
    resolve(ended);
  };
  const failed = (error: Error & { readonly code?: string; readonly syscall?: string }): void => {
    if (error instanceof Refused) end(noAnswer("refused", error.message));
    else if (seen.phase === "connecting")
      end({ ...noAnswer("not-sent", notSentWords(url.host, error)), ...(isOurs(error.code) && { isOurs: true }) });
    else if (error.code === "HPE_HEADER_OVERFLOW") end({ ...tooLarge("headers"), ...seen.head });
    else if (request?.reusedSocket === true && error.syscall === "write" && seen.head.httpStatus === undefined)
      end("unsent");
    else end({ ...noAnswer("broken", brokenWords(url.host, error.code)), ...seen.head });
  };
  if (signal.aborted) return Promise.resolve(noAnswer("aborted", "aborted"));
  signal.addEventListener("abort", onAbort, { once: true });
  seen.phase = "connecting";
  try {
    const open = (): Promise<Socket> => connect(target, connecting, signal);
    request = sendRequest({ ...requestTo(url, target, { pool, open }), method: "POST", headers: headersOf(call, id) });
    request.on("error", failed);
    request.on("socket", () => {
      seen.phase = "waiting for the answer";
    });
    request.on("response", (response) => {
      const { statusCode, headers } = response;
      seen.phase = "reading the answer";
      seen.head = {
        ...(statusCode !== undefined && { httpStatus: statusCode }),
        ...(headers["content-type"] !== undefined && { contentType: headers["content-type"] }),
      };
      read(response, id, (ended) => {
        if (ended.status !== "answered") request?.destroy();
        end({ ...ended, ...seen.head });
      });
    });
    request.on("close", () => failed(new Error("closed")));
    request.end(call.body);
  } catch (thrown) {
    end(noAnswer("refused", `Node does not send it: ${messageOf(thrown)}`));
  }
  return promise;
}

/** Returns the hook's headers and those that describe the request. */
function headersOf({ headers, body, trace }: HttpCall, id: string): Record<string, string> {
  const own = Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !isTelemetry(name));
  return {
    accept: "application/json",
    "user-agent": "hookline",
    ...Object.fromEntries(own),
    ...trace,
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    // A compressed answer could unpack to any size.
    "accept-encoding": "identity",
    [CALL_ID]: id,
  };
}

/** Reads an answer to its end. `done` may be called several times; only the first call counts. */
function read(response: IncomingMessage, id: string, done: (ended: Ended) => void): void {
  response.on("error", () => done(noAnswer("broken", "the connection ended in the middle of the answer")));
  const unfit = unfitHead(response, id);
  if (unfit !== undefined) {
    done(unfit);
    return;
  }
  const whole = keepWhole(MAX_BODY_BYTES);
  response.on("data", (chunk: Buffer) => {
    if (!whole.push(chunk)) done(tooLarge("body"));
  });
  response.on("end", () => {
    const { text, valid } = whole.text();
    done({ status: "answered", body: text, bodyValid: valid });
  });
}

/** Returns the report for an answer whose headers already disqualify it; `undefined` if its body must be read. */
function unfitHead({ headers }: IncomingMessage, id: string): Ended | undefined {
  if (headers[CALL_ID] !== undefined && headers[CALL_ID] !== id)
    return noAnswer("broken", `the answer belongs to another call: it has a different ${CALL_ID}`);
  if (!/^\s*identity\s*$/i.test(headers["content-encoding"] ?? "identity"))
    return noAnswer("broken", "the answer is compressed, which the request excludes; switch it off at the server");
  return Number(headers["content-length"]) > MAX_BODY_BYTES ? tooLarge("body") : undefined;
}

function tooLarge(part: "headers" | "body"): Ended {
  const limit = part === "body" ? `${MAX_BODY_BYTES} bytes` : "Node reads (16 KiB)";
  return noAnswer("over-limit", `the ${part} of the answer ${part === "body" ? "is" : "are"} larger than ${limit}`);
}
