import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { messageOf } from "@hookline/ground";
import { Answers } from "./answer.ts";
import { BadRequest } from "./bad-request.ts";
import { checkRequest, checkToken, HEADERS, METHODS } from "./gate.ts";
import { type LiveReader, sendLive } from "./live.ts";
import { isSmall } from "./moment-answer.ts";
import type { Page } from "./page.ts";
import { numberIn } from "./query.ts";
import type { Breathe } from "./reading.ts";
import type { SourceList } from "./sources.ts";
import { newToken } from "./token.ts";

/** The maximum number of live streams at once. */
const MOST_STREAMS = 16;

/** The sources, the page and the port of a server, and a callback for its requests. */
export interface ServerParts {
  readonly list: SourceList;
  readonly page: Page;
  readonly hookline: string;
  readonly port: number;
  readonly breathe: Breathe;
  /** Called when a client has requested the page, or data with the token. */
  onAsked?(what: "page" | "data"): void;
}

/** A running server. */
export interface Inspector {
  readonly port: number;
  readonly token: string;
  /** The address, with the token after `#`: browsers do not send that part. */
  readonly url: string;
  close(): Promise<void>;
}

/** Serves the page and its data on this machine only. Rejects if the port is taken. */
export async function serve(parts: ServerParts): Promise<Inspector> {
  const token = newToken();
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000 });
  await listen(server, parts.port);
  const { port } = server.address() as AddressInfo;
  const handler = new Handler(parts, { port, token });
  server.on("request", (request, response) => void handler.take(request, response));
  return {
    port,
    token,
    url: `http://127.0.0.1:${port}/#t=${token}`,
    close: () =>
      new Promise((resolve) => {
        handler.end();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject);
      resolve();
    });
  });
}

/** Answers one server's requests. */
class Handler {
  readonly #parts: ServerParts;
  readonly #own: { readonly port: number; readonly token: string };
  readonly #answers: Answers;
  readonly #ended = new AbortController();
  #streams = 0;

  constructor(parts: ServerParts, own: { readonly port: number; readonly token: string }) {
    this.#parts = parts;
    this.#own = own;
    const { list, hookline, breathe } = parts;
    this.#answers = new Answers(list, { hookline, breathe });
  }

  /** Ends the live streams. */
  end(): void {
    this.#ended.abort();
  }

  async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    response.on("error", () => {});
    try {
      checkRequest(request, this.#own.port);
      const { pathname, searchParams } = addressOf(request);
      if (!METHODS.includes(request.method ?? "")) {
        response.setHeader("allow", METHODS.join(", "));
        throw new BadRequest(`Use ${METHODS.join(" or ")} here.`, 405, "wrong-method");
      }
      // The body is discarded: no request needs one.
      request.resume();
      if (!pathname.startsWith("/api/")) this.#page(pathname, request, response);
      else {
        checkToken(request, this.#own.token);
        this.#parts.onAsked?.("data");
        await this.#api(pathname.slice("/api/".length), searchParams, { request, response });
      }
    } catch (thrown) {
      request.resume();
      refuse(thrown, request, response);
    }
  }

  #page(address: string, request: IncomingMessage, response: ServerResponse): void {
    const file = this.#parts.page.get(address);
    if (file === undefined) throw new BadRequest("There is no such page.", 404, "not-found");
    if (address === "/") this.#parts.onAsked?.("page");
    send(response, { status: 200, type: file.type, body: file.bytes }, request);
  }

  async #api(
    path: string,
    query: URLSearchParams,
    { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  ): Promise<void> {
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const live = /^sources\/([^/]+)\/live$/.exec(path);
    if (live !== null) return this.#live(live[1] as string, query, { request, response, gone: gone.signal });
    const answer = await this.#answers.answer(path, query, gone.signal);
    if (!isSmall(answer))
      throw new BadRequest("The answer would be larger than 8 MiB; ask for a smaller window.", 413, "too-large");
    send(response, { status: 200, type: JSON_TYPE, body: Buffer.from(JSON.stringify(answer)) }, request);
  }

  async #live(id: string, query: URLSearchParams, asked: Asked): Promise<void> {
    const from = Math.floor(numberIn(query, "from") ?? 0);
    const { reading } = await this.#answers.source(id);
    if (reading === undefined) throw new BadRequest("A replay's result does not grow.", 404, "not-found");
    await reading.ready();
    await this.#stream((reader) => sendLive(() => this.#parts.list.find(id), from, reader), asked);
  }

  async #stream(send: (reader: LiveReader) => Promise<void>, { request, response, gone }: Asked): Promise<void> {
    if (this.#streams >= MOST_STREAMS)
      throw new BadRequest(`There are ${MOST_STREAMS} live streams; close a page.`, 429, "too-many");
    response.writeHead(200, { "content-type": "application/x-ndjson; charset=utf-8" });
    if (request.method === "HEAD") {
      response.end();
      return;
    }
    this.#streams += 1;
    const signal = AbortSignal.any([gone, this.#ended.signal]);
    try {
      await send({ signal, write: (text) => written(response, text, signal) });
    } finally {
      this.#streams -= 1;
      response.end();
    }
  }
}

/** A request with its response; `gone` is aborted when the client has closed the connection. */
interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly gone: AbortSignal;
}

const JSON_TYPE = "application/json; charset=utf-8";

/** Returns the address of a request without its host; throws if it is invalid. */
function addressOf({ url = "/" }: IncomingMessage): URL {
  if (!url.startsWith("/") || url.length > 8192) throw new BadRequest("The inspector has no such address.");
  try {
    return new URL(`http://inspector.invalid${url}`);
  } catch {
    throw new BadRequest("The inspector has no such address.");
  }
}

function send(
  response: ServerResponse,
  { status, type, body }: { readonly status: number; readonly type: string; readonly body: Buffer },
  { method }: IncomingMessage,
): void {
  response.writeHead(status, { "content-type": type, "content-length": body.length });
  response.end(method === "HEAD" ? undefined : body);
}

function refuse(thrown: unknown, request: IncomingMessage, response: ServerResponse): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const { status, code, message } =
    thrown instanceof BadRequest ? thrown : { status: 500, code: "failed", message: messageOf(thrown) };
  if (status === 401) response.setHeader("www-authenticate", "Bearer");
  const body = Buffer.from(JSON.stringify({ error: { code, message } }));
  send(response, { status, type: JSON_TYPE, body }, request);
}

/** Resolves when a reader has room for more, or has left. */
async function written(response: ServerResponse, text: string, signal: AbortSignal): Promise<void> {
  if (!signal.aborted && !response.write(text)) await once(response, "drain", { signal }).catch(() => undefined);
}
