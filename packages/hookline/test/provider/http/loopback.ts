import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

let servers: Server[] = [];

/** The requests of the running test that arrived whole. */
export const seen: { method: string; url: string; headers: IncomingMessage["headers"]; body: string }[] = [];

/** A server on this machine for the running test, which answers when it has the whole request; gives its address. */
export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      seen.push({ method: request.method ?? "", url: request.url ?? "", headers: request.headers, body });
      listener(request, response);
    });
  });
  servers.push(server);
  onTestFinished(() => {
    seen.length = 0;
    stop();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Ends the servers of the running test and every connection to them. */
export function stop(): void {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  servers = [];
}
