import { createServer as createHttp, type IncomingMessage, type RequestListener } from "node:http";
import { createServer as createHttps } from "node:https";
import { type AddressInfo, createServer as createTcp, type Server, type Socket } from "node:net";
import type { HttpCall } from "../../src/port/http.ts";
import type { Certificate } from "./certificates.ts";

/** A request as a server got it. */
export interface Got {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A server on loopback. */
export interface Served extends AsyncDisposable {
  readonly port: number;
  /** With `http` or `https`, and `localhost`. */
  readonly url: string;
  /** In order of arrival, once their bodies are there. */
  readonly requests: readonly Got[];
  /** How many connections were made in all, and the sockets of those that are open. */
  readonly connections: number;
  readonly sockets: ReadonlySet<Socket>;
}

async function started(
  server: Server,
  protocol: string,
  requests: readonly Got[],
  host = "127.0.0.1",
  port = 0,
): Promise<Served> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on("connection", (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  });
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => {
    server.once("error", () => server.listen(port, "127.0.0.1")).once("listening", resolve);
    server.listen(port, host);
  });
  const taken = (server.address() as AddressInfo).port;
  return {
    port: taken,
    url: `${protocol}://localhost:${taken}/hook`,
    requests,
    sockets,
    get connections() {
      return connections;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Serves HTTP, or HTTPS with a certificate, on 127.0.0.1 or another address of this machine. The handler is called when the whole request is there. */
export function serve(
  handler: RequestListener,
  certificate?: Certificate,
  host?: string,
  port?: number,
): Promise<Served> {
  const requests: Got[] = [];
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    response.on("error", () => {});
    request.on("error", () => {});
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method, url: path, headers } = request;
      requests.push({ method, path, headers, body: Buffer.concat(chunks).toString("utf8") });
      handler(request, response);
    });
  };
  const server = certificate === undefined ? createHttp(listener) : createHttps({ ...certificate }, listener);
  // Idle connections are the client's to close.
  server.keepAliveTimeout = 60_000;
  return started(server, certificate === undefined ? "http" : "https", requests, host, port);
}

/** Answers every request with JSON. */
export const answers =
  (value: unknown): RequestListener =>
  (_, response) =>
    void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));

/** Serves bytes: `onRequest` gets the socket each time that headers of a request have arrived. */
export function serveRaw(onRequest: (socket: Socket, count: number) => void): Promise<Served> {
  let count = 0;
  const server = createTcp((socket) => {
    socket.on("error", () => {});
    socket.on("data", (chunk: Buffer) => {
      if (chunk.includes("\r\n\r\n")) onRequest(socket, ++count);
    });
  });
  return started(server, "http", []);
}

/** A port on which nobody listens. */
export async function deadPort(): Promise<number> {
  const served = await serve(() => {});
  await served[Symbol.asyncDispose]();
  return served.port;
}

/** A call of the user's; the limit only ends what hangs. */
export const callOf = (url: string, more: Partial<HttpCall> = {}): HttpCall => ({
  url,
  headers: {},
  body: '{"hook_event_name":"PreToolUse"}',
  tier: "user",
  timeoutMs: 60_000,
  label: "a hook",
  ...more,
});
