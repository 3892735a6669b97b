import type { ServerResponse } from "node:http";
import type { HttpReport } from "../../packages/runtime/src/port/http.ts";
import { type Authority, makeAuthority } from "../../packages/runtime/test/http/certificates.ts";
import { answers, type Served, serve, serveRaw } from "../../packages/runtime/test/http/servers.ts";

/** A server with a fault, and the required outcome of a call to it. */
export interface Fault {
  readonly start: (authority: Authority, elsewhere: string) => Promise<Served>;
  readonly ends: HttpReport["status"];
  readonly httpStatus?: number;
}

const DAY_MS = 86_400_000;
const MIB = 1024 * 1024;
const names = ["localhost"];

const says = (status: number, type: string, body = ""): Fault => ({
  start: (_, location) =>
    serve((_, response) => void response.writeHead(status, { "content-type": type, location }).end(body)),
  ends: "answered",
  httpStatus: status,
});

/** Writes a text repeatedly while the other side is connected. */
function drip(to: { write(text: string): unknown; on(event: "close", end: () => void): unknown }, text: string): void {
  const timer = setInterval(() => to.write(text), 5);
  to.on("close", () => clearInterval(timer));
}

/** Writes as much as the other side accepts. */
function flood(response: ServerResponse): void {
  const more = (): void => {
    while (!response.destroyed && response.write(Buffer.alloc(65_536)));
  };
  response.on("drain", more);
  more();
}

const raw = (bytes: string, ends: Fault["ends"], how: "end" | "reset" | "stay" = "end"): Fault => ({
  start: () =>
    serveRaw((socket) =>
      socket.write(bytes, () => {
        if (how === "end") socket.end();
        else if (how === "reset") socket.resetAndDestroy();
      }),
    ),
  ends,
});

/** All faults. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  "is not there": {
    start: async () => {
      const served = await serve(() => {});
      await served[Symbol.asyncDispose]();
      return served;
    },
    ends: "not-sent",
  },
  "takes the connection and says nothing": raw("", "timed-out", "stay"),
  "closes the connection": raw("", "broken"),
  "resets the connection": raw("", "broken", "reset"),
  "drips headers": { start: () => serveRaw((socket) => drip(socket, "x")), ends: "broken" },
  "drips one header": {
    start: () =>
      serveRaw((socket) => {
        socket.write("HTTP/1.1 200 OK\r\nx-slow: ");
        drip(socket, "x");
      }),
    ends: "timed-out",
  },
  "drips interim answers": {
    start: () => serveRaw((socket) => drip(socket, "HTTP/1.1 103 Early Hints\r\n\r\n")),
    ends: "timed-out",
  },
  "drips its body": {
    start: () =>
      serve((_, response) => {
        response.writeHead(200);
        drip(response, " ");
      }),
    ends: "timed-out",
    httpStatus: 200,
  },
  "stops in the middle": {
    start: () => serve((_, response) => void response.writeHead(200, { "content-length": 9 }).write("{")),
    ends: "timed-out",
    httpStatus: 200,
  },
  "announces too much": {
    start: () => serve((_, response) => void response.writeHead(200, { "content-length": 1e12 }).write("{")),
    ends: "over-limit",
    httpStatus: 200,
  },
  "sends a byte too much": {
    start: () => serve((_, response) => void response.end(Buffer.alloc(MIB + 1))),
    ends: "over-limit",
    httpStatus: 200,
  },
  "floods with its body": { start: () => serve((_, response) => flood(response)), ends: "over-limit", httpStatus: 200 },
  "floods with headers": raw(`HTTP/1.1 200 OK\r\n${`x-a: ${"y".repeat(999)}\r\n`.repeat(99)}`, "over-limit", "stay"),
  "sends a compressed bomb": {
    start: () => serve((_, response) => void response.setHeader("content-encoding", "gzip").end(Buffer.alloc(99))),
    ends: "broken",
    httpStatus: 200,
  },
  "speaks another protocol": raw("SSH-2.0-OpenSSH_9.2\r\n", "broken", "stay"),
  "says 301": says(301, "text/html"),
  "says 302": says(302, "text/html"),
  "says 303": says(303, "text/html"),
  "says 307": says(307, "text/html"),
  "says 308": says(308, "text/html"),
  "says 401": says(401, "text/plain", "no"),
  "says 429": says(429, "text/plain", "later"),
  "says 500": says(500, "text/html", "<html>"),
  "says 503": says(503, "text/html", "<html>"),
  "answers with HTML": says(200, "text/html", "<!doctype html>"),
  "answers with nothing": says(204, "text/plain"),
  "answers another call": {
    start: () => serve((_, response) => void response.setHeader("x-hookline-call", "another").end("{}")),
    ends: "broken",
    httpStatus: 200,
  },
  "has a certificate for another name": {
    start: (authority) => serve(answers({}), authority.issue({ names: ["other.example"] })),
    ends: "not-sent",
  },
  "has a certificate that has expired": {
    start: (authority) => serve(answers({}), authority.issue({ names, until: new Date(Date.now() - DAY_MS) })),
    ends: "not-sent",
  },
  "has a certificate of nobody known": {
    start: () => serve(answers({}), makeAuthority("Another").issue({ names })),
    ends: "not-sent",
  },
  "speaks no TLS where it should": {
    start: async () => {
      const served = await serve(answers({}));
      return { ...served, url: served.url.replace("http:", "https:") };
    },
    ends: "not-sent",
  },
  "says nothing to the TLS greeting": {
    start: async () => {
      const served = await serveRaw(() => {});
      return { ...served, url: served.url.replace("http:", "https:") };
    },
    ends: "timed-out",
  },
};
