import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { MAX_BODY_BYTES } from "../../src/transport/http/exchange.ts";
import { during, transportOf } from "./kit.ts";
import { answers, callOf, deadPort, serve, serveRaw } from "./servers.ts";

test("a hook gets a POST with JSON, and its answer comes back as it is", async () => {
  const server = await during(serve(answers({ ok: true })));
  const report = await transportOf().ask(callOf(`${server.url}?a=1#part`, { headers: { "X-Team": "a b" } }));
  expect(report).toMatchObject({
    status: "answered",
    httpStatus: 200,
    contentType: "application/json",
    body: '{"ok":true}',
    bodyValid: true,
  });
  expect(report.problem).toBeUndefined();
  expect(server.requests).toMatchObject([
    {
      method: "POST",
      path: "/hook?a=1",
      headers: { "content-type": "application/json", "x-team": "a b", host: `localhost:${server.port}` },
      body: '{"hook_event_name":"PreToolUse"}',
    },
  ]);
});

test("a hook gets the trace of its own run as headers, and none that its definition names", async () => {
  const server = await during(serve(answers({ ok: true })));
  const headers = { Traceparent: "stale", tracestate: "stale", Baggage: "a=b" };
  const trace = { traceparent: "00-a-b-01", tracestate: "vendor=1" };
  const transport = transportOf();
  await transport.ask(callOf(server.url, { headers, trace }));
  await transport.ask(callOf(server.url, { headers }));
  expect(server.requests[0]?.headers).toMatchObject(trace);
  for (const request of server.requests) expect(request.headers).not.toHaveProperty("baggage");
  expect(server.requests[1]?.headers).not.toHaveProperty("traceparent");
  expect(server.requests[1]?.headers).not.toHaveProperty("tracestate");
});

test("a body in any script is sent and read by its bytes", async () => {
  const server = await during(serve(answers("Grüße 🐢")));
  const report = await transportOf().ask(callOf(server.url, { body: '"日本🐢"' }));
  expect(server.requests[0]?.body).toBe('"日本🐢"');
  expect(report).toMatchObject({ body: '"Grüße 🐢"', bodyValid: true });
});

test("bytes that are not UTF-8 are said to be none", async () => {
  const server = await during(serve((_, response) => void response.end(Buffer.from([0x22, 0xff, 0x22]))));
  expect(await transportOf().ask(callOf(server.url))).toMatchObject({ status: "answered", bodyValid: false });
});

test.each([204, 301, 302, 303, 307, 308, 400, 401, 404, 429, 500, 503])(
  "status %i is an answer like any other",
  async (status) => {
    const elsewhere = await during(serve(answers("no")));
    const server = await during(
      serve(
        (_, response) =>
          void response.writeHead(status, { location: elsewhere.url, "content-type": "text/html" }).end(),
      ),
    );
    const report = await transportOf().ask(callOf(server.url));
    expect(report).toMatchObject({ status: "answered", httpStatus: status, contentType: "text/html", body: "" });
    // A redirect is not followed.
    expect(elsewhere.connections).toBe(0);
  },
);

test("nothing is sent to a port on which nobody listens", async () => {
  const port = await deadPort();
  const report = await transportOf().ask(callOf(`http://127.0.0.1:${port}/`));
  expect(report).toMatchObject({ status: "not-sent", body: "" });
  expect(report.problem).toBe(`127.0.0.1:${port} refused the connection; is it running? (ECONNREFUSED)`);
});

test("a server on IPv6 alone is found under the name localhost", async () => {
  const server = await during(serve(answers({}), undefined, "::1"));
  const report = await transportOf().ask(callOf(server.url));
  // The server listens on 127.0.0.1 if the machine has no IPv6.
  expect(report).toMatchObject({ status: "answered", body: "{}" });
});

test("a body of the limit is read, one byte more is over it, however it is sent", async () => {
  const transport = transportOf();
  for (const isChunked of [false, true]) {
    for (const [size, status] of [
      [MAX_BODY_BYTES, "answered"],
      [MAX_BODY_BYTES + 1, "over-limit"],
      [8 * MAX_BODY_BYTES, "over-limit"],
    ] as const) {
      const server = await during(
        serve((_, response) => {
          response.writeHead(200, isChunked ? {} : { "content-length": size });
          response.end(Buffer.alloc(size, "x"));
        }),
      );
      const report = await transport.ask(callOf(server.url));
      expect([report.status, report.httpStatus, report.body.length]).toEqual([
        status,
        200,
        status === "answered" ? size : 0,
      ]);
    }
  }
});

test("an answer without an end is over the limit, and its connection is closed", async () => {
  const server = await during(
    serve((_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      };
      response.on("drain", more);
      more();
    }),
  );
  const report = await transportOf().ask(callOf(server.url));
  expect(report).toMatchObject({ status: "over-limit", body: "", problem: expect.stringContaining("1048576 bytes") });
  await expect.poll(() => server.sockets.size).toBe(0);
});

test("headers without an end are over the limit", async () => {
  const server = await during(
    serveRaw((socket) => void socket.write(`HTTP/1.1 200 OK\r\n${`x-more: ${"y".repeat(1000)}\r\n`.repeat(200)}`)),
  );
  expect(await transportOf().ask(callOf(server.url))).toMatchObject({ status: "over-limit", body: "" });
});

test("a compressed answer, which the request excludes, is not read", async () => {
  const server = await during(
    serve((_, response) => void response.writeHead(200, { "content-encoding": "gzip" }).end(Buffer.alloc(100))),
  );
  const report = await transportOf().ask(callOf(server.url));
  expect(report).toMatchObject({ status: "broken", httpStatus: 200, problem: expect.stringContaining("compressed") });
  expect(server.requests[0]?.headers["accept-encoding"]).toBe("identity");
});

const BROKEN: Readonly<Record<string, string>> = {
  "no answer at all": "",
  "half a status line": "HTTP/1.1 2",
  "half of the headers": "HTTP/1.1 200 OK\r\ncontent-le",
  "less than was announced": "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{}",
  "a torn chunk": "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab",
  "no last chunk": "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n",
  "two lengths": "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{} ",
  "a length and chunks":
    "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
  "another protocol": "220 mail.example ESMTP\r\n",
  "a switch of protocols": "HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n",
  "only interim answers": "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(50),
};

test.each(Object.keys(BROKEN))("%s is no answer", async (name) => {
  const transport = transportOf();
  for (const isReset of [false, true]) {
    const server = await during(
      serveRaw(
        (socket) =>
          void socket.write(BROKEN[name] as string, () => (isReset ? socket.resetAndDestroy() : socket.end())),
      ),
    );
    const report = await transport.ask(callOf(server.url));
    expect(report).toMatchObject({ status: "broken", body: "", problem: expect.any(String) });
    expect(server.connections).toBe(1);
    await expect.poll(() => server.sockets.size).toBe(0);
  }
  const good = await during(serve(answers({})));
  expect(await transport.ask(callOf(good.url))).toMatchObject({ status: "answered", body: "{}" });
});

const DENIAL = '{"decision":"deny","reason":"nö"}';
const WHOLE: Readonly<Record<string, Buffer>> = {
  "with a length": Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(DENIAL)}\r\n\r\n${DENIAL}`),
  "in chunks": Buffer.from(
    `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n${DENIAL.slice(0, 5)}\r\n` +
      `${(Buffer.byteLength(DENIAL) - 5).toString(16)}\r\n${DENIAL.slice(5)}\r\n0\r\n\r\n`,
  ),
};

/** Ways in which an answer goes on after its first bytes, and whether it then is an answer. */
const CUTS: readonly (readonly [how: string, isAnswer: boolean, cut: (socket: Socket, rest: Buffer) => void])[] = [
  ["ends there", false, (socket) => void socket.end()],
  ["is reset there", false, (socket) => void socket.resetAndDestroy()],
  ["goes on a moment later", true, (socket, rest) => void setImmediate(() => socket.end(rest))],
];

test.each(
  Object.keys(WHOLE).flatMap((form) => CUTS.map(([how, isAnswer, cut]) => [form, how, isAnswer, cut] as const)),
)("an answer %s that %s, after whichever byte, is used whole or not at all", async (form, _, isAnswer, cut) => {
  const bytes = WHOLE[form] as Buffer;
  const transport = transportOf();
  let at = 0;
  const server = await during(
    serveRaw((socket) => socket.write(bytes.subarray(0, at), () => cut(socket, bytes.subarray(at)))),
  );
  for (; at < bytes.length; at++) {
    const { status, body } = await transport.ask(callOf(server.url));
    expect([at, status, body]).toEqual([at, ...(isAnswer ? ["answered", DENIAL] : ["broken", ""])]);
  }
});

test("an answer to another call does not count", async () => {
  const server = await during(
    serve((request, response) => {
      const echoes = request.headers["x-echo"] === "yes";
      response.setHeader("x-hookline-call", echoes ? (request.headers["x-hookline-call"] as string) : "another");
      response.end("{}");
    }),
  );
  const transport = transportOf();
  expect(await transport.ask(callOf(server.url, { headers: { "x-echo": "yes" } }))).toMatchObject({
    status: "answered",
  });
  expect(await transport.ask(callOf(server.url))).toMatchObject({ status: "broken", body: "" });
});
