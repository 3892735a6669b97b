import { expect, test } from "vitest";
import type { HttpStream, HttpStreamCall } from "../../src/port/http.ts";
import { alarm } from "../process/clock.ts";
import { during, transportOf, until } from "./kit.ts";
import { deadPort, serve } from "./servers.ts";

const callTo = (url: string, more: Partial<HttpStreamCall> = {}): HttpStreamCall => ({
  url,
  method: "GET",
  headers: {},
  tier: "user",
  timeoutMs: 60_000,
  label: "a server",
  ...more,
});

type Answered = Extract<HttpStream, { status: "answered" }>;

test("an answer is read while it arrives, and what is sent is what was given", async () => {
  const more = Promise.withResolvers<void>();
  const server = await during(
    serve((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream", "x-session": "a" }).write("data: one\n\n");
      void more.promise.then(() => response.end("data: two\n\n"));
    }),
  );
  const call = callTo(server.url, {
    method: "POST",
    body: '{"a":"é"}',
    headers: { "Content-Type": "application/json", "X-Key": "k" },
  });
  const answer = (await transportOf().open(call)) as Answered;
  expect(answer).toMatchObject({ status: "answered", httpStatus: 200, headers: { "x-session": "a" } });
  let text = "";
  for await (const chunk of answer.body) {
    text += Buffer.from(chunk).toString("utf8");
    more.resolve();
  }
  expect(text).toBe("data: one\n\ndata: two\n\n");
  expect(server.requests).toMatchObject([
    { method: "POST", body: '{"a":"é"}', headers: { "x-key": "k", "accept-encoding": "identity" } },
  ]);
});

test("each exchange has a connection of its own, whatever the server says of it", async () => {
  const server = await during(
    serve((_, response) => void response.writeHead(200, { connection: "keep-alive" }).end("x")),
  );
  const transport = transportOf();
  for (let round = 0; round < 3; round++) {
    const answer = (await transport.open(callTo(server.url, { method: "POST", body: "{}" }))) as Answered;
    expect(answer.httpStatus).toBe(200);
    for await (const chunk of answer.body) expect(chunk.length).toBe(1);
  }
  expect(server.connections).toBe(3);
});

test("a redirect is an answer and is not followed", async () => {
  const other = await during(serve((_, response) => void response.end("secret")));
  const server = await during(serve((_, response) => void response.writeHead(307, { location: other.url }).end()));
  expect(await transportOf().open(callTo(server.url))).toMatchObject({ status: "answered", httpStatus: 307 });
  expect(other.requests).toEqual([]);
});

test("a project reaches no address inside of a network, and nobody sends without encryption", async () => {
  const resolve = async () => [{ address: "10.0.0.1" }];
  const transport = transportOf({ resolve });
  const inside = await transport.open(callTo("https://mcp.example.com/", { tier: "project" }));
  expect(inside).toMatchObject({ status: "refused", problem: expect.stringContaining("10.0.0.1") });
  const plain = await transport.open(callTo("http://mcp.example.com/"));
  expect(plain).toMatchObject({ status: "refused", problem: expect.stringContaining("without encryption") });
});

test("silence, an abort, a dead port and a broken connection are told apart", async () => {
  const silent = await during(serve(() => {}));
  const limit = alarm(50);
  const transport = transportOf({ clock: limit });
  const late = transport.open(callTo(silent.url, { timeoutMs: 50 }));
  await until(() => silent.requests.length === 1);
  limit.ring();
  expect(await late).toMatchObject({ status: "timed-out" });
  const abort = new AbortController();
  const waiting = transport.open(callTo(silent.url, { signal: abort.signal }));
  await until(() => silent.requests.length === 2);
  abort.abort();
  expect(await waiting).toMatchObject({ status: "aborted" });
  expect(await transport.open(callTo(`http://localhost:${await deadPort()}/`))).toMatchObject({ status: "not-sent" });
  const cut = await during(serve((_, response) => response.destroy()));
  expect(await transport.open(callTo(cut.url))).toMatchObject({ status: "broken" });
});

test("an abort ends an answer that is being read", async () => {
  const server = await during(serve((_, response) => void response.writeHead(200).write("first")));
  const abort = new AbortController();
  const answer = (await transportOf().open(callTo(server.url, { signal: abort.signal }))) as Answered;
  const read = async (): Promise<void> => {
    for await (const _ of answer.body) abort.abort();
  };
  await expect(read()).rejects.toThrow();
  await until(() => server.sockets.size === 0);
});
