import { type ClientRequest, globalAgent, type IncomingMessage, request as requestPlain } from "node:http";
import { globalAgent as globalSecureAgent, request as requestSecure } from "node:https";
import type { Readable, Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, constants as zlib } from "node:zlib";
import { WireHeaders } from "./headers.ts";
import { fetchAtOrigin, nextRequest, REDIRECTS, refusedRedirect } from "./origin.ts";
import { WireResponse } from "./response.ts";

const CONNECT_MS = 10_000;
const SILENCE_MS = 300_000;

const DISPATCHERS = ["undici.globalDispatcher.1", "undici.globalDispatcher.2"].map((name) => Symbol.for(name));

/** Returns the values that decide how `fetch` sends: the function, and the dispatchers that a module can replace. */
const senders = (): unknown[] => [globalThis.fetch, ...DISPATCHERS.map((name) => Reflect.get(globalThis, name))];

/** The values of `senders` before any module could change them. */
const usual = senders();

/**
 * `fetch` for the providers' clients, based on `node:http`. Node's own `fetch` loads a second HTTP client, which slows
 * the launch. Calls `globalThis.fetch` if a module has replaced it or a dispatcher, if a proxy is to be used, and for
 * requests that `node:http` cannot send. Never follows a redirect to another origin. `onSent` is called when the body
 * is no longer read; never if that is unknown.
 */
export async function wireFetch(
  input: string | URL | Request,
  init: RequestInit = {},
  onSent?: () => void,
): Promise<Response> {
  const url = typeof input === "string" || input instanceof URL ? new URL(input) : undefined;
  if (url === undefined || !isPlain(url, init)) return fetchAtOrigin(input, init);
  const { signal } = init;
  signal?.throwIfAborted();
  const message = await send(url, init as PlainInit);
  const location = message.headers.location;
  if (REDIRECTS.has(message.statusCode ?? 0) && location !== undefined) {
    message.resume();
    const status = message.statusCode as number;
    const next = nextRequest(url, init, { from: url, location, status });
    if (next?.[0].origin !== url.origin) return refusedRedirect(url, location, status);
    return fetchAtOrigin(next[0], { ...next[1], headers: [...new WireHeaders(next[1].headers as PlainHeaders)] });
  }
  if (onSent !== undefined) whenSent(message, onSent);
  return new WireResponse(message, decoded(message), url.href) as unknown as Response;
}

type PlainInit = RequestInit & { readonly body?: string | Uint8Array | null };

const KNOWN = new Set(["method", "headers", "body", "signal"]);
type PlainHeaders = Iterable<readonly string[]> | null | undefined;

/** Whether `node:http` can send this request without Node's own `fetch`. */
function isPlain(url: URL, init: RequestInit): init is PlainInit {
  const { body } = init;
  return (
    senders().every((sender, i) => sender === usual[i]) &&
    process.env["NODE_USE_ENV_PROXY"] === undefined &&
    !process.execArgv.includes("--use-env-proxy") &&
    (url.protocol === "http:" || url.protocol === "https:") &&
    url.username === "" &&
    (body === undefined || body === null || typeof body === "string" || body instanceof Uint8Array) &&
    Object.entries(init).every(([name, value]) => KNOWN.has(name) || value === undefined)
  );
}

/** Sends a request; resolves with the response when its headers have arrived. */
function send(url: URL, init: PlainInit): Promise<IncomingMessage> {
  const { method = "GET", body, signal } = init;
  const headers = new WireHeaders(init.headers as PlainHeaders);
  const secure = url.protocol === "https:";
  if (!headers.has("accept")) headers.set("accept", "*/*");
  if (!headers.has("user-agent")) headers.set("user-agent", "node");
  if (!headers.has("accept-encoding")) headers.set("accept-encoding", secure ? "br, gzip, deflate" : "gzip, deflate");
  if (typeof body === "string" && !headers.has("content-type")) headers.set("content-type", "text/plain;charset=UTF-8");
  if (body !== undefined && body !== null) headers.set("content-length", String(Buffer.byteLength(body)));
  return new Promise((resolve, reject) => {
    const sent = (secure ? requestSecure : requestPlain)(url, {
      method: method.toUpperCase(),
      headers: Object.fromEntries(headers),
      agent: secure ? globalSecureAgent : globalAgent,
      timeout: SILENCE_MS,
    });
    let message: IncomingMessage | undefined;
    const abort = (): void => {
      const reason = signal?.reason as Error;
      message?.destroy(reason);
      sent.destroy(reason);
      reject(reason);
    };
    signal?.addEventListener("abort", abort, { once: true });
    sent.once("close", () => signal?.removeEventListener("abort", abort));
    sent.on("error", (error) =>
      reject(signal?.aborted ? signal.reason : new TypeError("fetch failed", { cause: error })),
    );
    sent.once("response", (response) => {
      message = response;
      resolve(response);
    });
    watchTime(sent);
    sent.end(body ?? undefined);
  });
}

/** Calls `act` once the whole request has been sent, which may be after the response. */
function whenSent(message: IncomingMessage, act: () => void): void {
  const { req } = message as IncomingMessage & { readonly req: ClientRequest };
  if (req.writableFinished) act();
  else req.once("finish", act);
}

/** Ends a request to an unreachable server, or one that sends nothing for long, at the limits of Node's `fetch`. */
function watchTime(sent: ClientRequest): void {
  sent.on("timeout", () => sent.destroy(new Error(`Timed out: nothing came for ${SILENCE_MS} ms`)));
  sent.once("socket", (socket) => {
    if (!socket.connecting) return;
    const late = setTimeout(
      () => sent.destroy(new Error(`Connect timeout: no connection in ${CONNECT_MS} ms`)),
      CONNECT_MS,
    );
    socket.once("connect", () => clearTimeout(late));
    sent.once("close", () => clearTimeout(late));
  });
}

/** Returns the decompressed content of a response as it arrives. */
function decoded(message: IncomingMessage): Readable {
  const encodings = (message.headers["content-encoding"] ?? "").toLowerCase().split(",");
  return encodings.reverse().reduce<Readable>((from, encoding) => {
    const through = DECODERS[encoding.trim()]?.();
    if (through === undefined) return from;
    from.on("error", (error) => through.destroy(error));
    // This listener keeps an error of `through` from ending the process after its reader has gone.
    through.on("error", () => {}).on("close", () => from.destroy());
    return from.pipe(through);
  }, message);
}

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(flushing()),
  "x-gzip": () => createGunzip(flushing()),
  deflate: () => createInflate(flushing()),
  br: () => createBrotliDecompress({ flush: zlib.BROTLI_OPERATION_FLUSH, finishFlush: zlib.BROTLI_OPERATION_FLUSH }),
};

const flushing = () => ({ flush: zlib.Z_SYNC_FLUSH, finishFlush: zlib.Z_SYNC_FLUSH });
