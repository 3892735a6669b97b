import { execFile } from "node:child_process";
import type { ServerResponse } from "node:http";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { trials } from "../../../../scripts/trials.ts";
import { alarm } from "../process/clock.ts";
import { makeAuthority } from "./certificates.ts";
import { during, IDLE_MS, transportOf, until } from "./kit.ts";
import { answers, callOf, type Served, serve, serveRaw } from "./servers.ts";

const authority = makeAuthority();
const OK = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";

test.each(["http", "https"])("a hundred calls one after the other take one connection of %s", async (protocol) => {
  const certificate = protocol === "https" ? authority.issue({ names: ["localhost"] }) : undefined;
  const server = await during(serve(answers({}), certificate));
  const transport = transportOf({ ca: [authority.ca] });
  for (let i = 0; i < 100; i++)
    expect(await transport.ask(callOf(server.url, { body: `${i}` }))).toMatchObject({ status: "answered" });
  expect(server.requests.map(({ body }) => Number(body))).toEqual(Array.from({ length: 100 }, (_, i) => i));
  expect(server.connections).toBe(1);
});

/** The faults of a server, in turn, at every fifth call; other calls get their own number back. */
const MOODS: readonly ((response: ServerResponse) => void)[] = [
  (response) => void response.destroy(),
  (response) => void response.writeHead(200, { "content-length": 99 }).write("{", () => response.destroy()),
  (response) => void response.end(Buffer.alloc(2 * 1024 * 1024)),
  (response) => void response.setHeader("connection", "close").end("closed"),
];
const PLACES = 12;

test("many calls at once, of which some go wrong, get their own answers, and take no more connections than there are places and idle ones", async () => {
  const server = await during(
    serve((request, response) => {
      const id = Number(request.headers["x-id"]);
      const mood = id % 5 === 0 ? MOODS[(id / 5) % MOODS.length] : undefined;
      if (mood === undefined) setTimeout(() => response.end(`${id}`), id % 7);
      else mood(response);
    }),
  );
  const transport = transportOf({ concurrency: PLACES });
  let most = 0;
  const ask = async (id: number): Promise<void> => {
    const stop = new AbortController();
    if (id % 50 === 49) setTimeout(() => stop.abort(), id % 90);
    const { status, body } = await transport.ask(
      callOf(server.url, { headers: { "x-id": `${id}` }, signal: stop.signal }),
    );
    most = Math.max(most, server.sockets.size);
    if (status !== "answered") expect([id, body]).toEqual([id, ""]);
    else expect([id, body]).toEqual([id, id % 5 === 0 ? "closed" : `${id}`]);
    if (id % 5 !== 0 && id % 50 !== 49) expect([id, status]).toEqual([id, "answered"]);
  };
  await Promise.all(Array.from({ length: trials(400) }, (_, id) => ask(id)));
  // One that became idle a moment ago may stand beside those of all places.
  expect(most).toBeLessThanOrEqual(PLACES + 8);
  await expect.poll(() => server.sockets.size).toBeLessThanOrEqual(8);
});

test("a connection that is idle for long is closed from this side", async () => {
  const server = await during(serve(answers({})));
  const idle = alarm(IDLE_MS);
  const transport = transportOf({ clock: idle });
  await transport.ask(callOf(server.url));
  await until(() => idle.count() === 1);
  expect(server.sockets.size).toBe(1);
  idle.ring();
  await expect.poll(() => server.sockets.size).toBe(0);
  expect(await transport.ask(callOf(server.url))).toMatchObject({ status: "answered" });
  expect(server.connections).toBe(2);
});

/** Ways in which a server lets go of an idle connection. */
const GONE: Readonly<Record<string, (server: Served) => void>> = {
  "closed it": (server) => server.sockets.forEach((socket) => void socket.destroy()),
  "reset it": (server) => server.sockets.forEach((socket) => void socket.resetAndDestroy()),
  "closed its half of it": (server) => server.sockets.forEach((socket) => void socket.end()),
};

test.each(Object.keys(GONE))(
  "an idle connection is not used when the server %s, even in the same moment",
  async (name) => {
    const server = await during(serve(answers({})));
    const transport = transportOf();
    for (let i = 1; i <= 20; i++) {
      const report = await transport.ask(callOf(server.url));
      expect(report).toMatchObject({ status: "answered" });
      expect(server.requests.length).toBe(i);
      (GONE[name] as (server: Served) => void)(server);
    }
    expect(server.connections).toBe(20);
  },
);

test("a request that could not be written is sent once more, over a new connection", async () => {
  const server = await during(serve(answers({})));
  const transport = transportOf();
  await transport.ask(callOf(server.url));
  // The body is taken when the connection is chosen and nothing is written yet: here it dies in between.
  const call = callOf(server.url);
  let taken = 0;
  const report = await transport.ask({
    ...call,
    get body() {
      if (++taken === 2) for (const socket of server.sockets) socket.resetAndDestroy();
      return call.body;
    },
  });
  expect(report).toMatchObject({ status: "answered" });
  expect(server.requests.length).toBe(2);
  expect(server.connections).toBe(2);
});

test.each(["end", "reset"])(
  "a request that was written is not sent again when the connection ends (%s)",
  async (how) => {
    let requests = 0;
    const server = await during(
      serveRaw((socket, count) => {
        requests = count;
        if (count === 1) socket.write(OK);
        else if (how === "end") socket.end();
        else socket.resetAndDestroy();
      }),
    );
    const transport = transportOf();
    expect(await transport.ask(callOf(server.url))).toMatchObject({ status: "answered" });
    // The server has read it, and may have acted on it.
    expect(await transport.ask(callOf(server.url))).toMatchObject({ status: "broken", body: "" });
    expect([requests, server.connections]).toEqual([2, 1]);
  },
);

test("a server that restarts is asked over a new connection", async () => {
  const first = await serve(answers({ n: 1 }));
  const transport = transportOf();
  expect(await transport.ask(callOf(first.url))).toMatchObject({ body: '{"n":1}' });
  await first[Symbol.asyncDispose]();
  expect(await transport.ask(callOf(first.url))).toMatchObject({ status: "not-sent" });
  const second = await during(serve(answers({ n: 2 }), undefined, undefined, first.port));
  expect(await transport.ask(callOf(second.url))).toMatchObject({ body: '{"n":2}' });
});

test("an answer that nobody asked for answers no later call", async () => {
  const deny = OK.replace("content-length: 2", "content-length: 4").replace("{}", "evil");
  for (const afterMs of [0, 20]) {
    const server = await during(
      serveRaw((socket, count) => {
        if (count > 1) return void socket.write(OK);
        if (afterMs === 0) socket.write(OK + deny);
        else socket.write(OK, () => setTimeout(() => socket.write(deny), afterMs));
      }),
    );
    const transport = transportOf();
    const first = await transport.ask(callOf(server.url));
    // Two answers in one piece leave none that could be trusted, or one and a closed connection.
    expect(first.body).not.toContain("evil");
    await expect.poll(() => server.sockets.size).toBe(0);
    expect(await transport.ask(callOf(server.url))).toMatchObject({ status: "answered", body: "{}" });
    expect(server.connections).toBe(2);
  }
});

test("a connection whose answer was too large, broken or late is not used again", async () => {
  const server = await during(
    serve((request, response) => {
      if (request.headers["x-big"]) response.end(Buffer.alloc(2 * 1024 * 1024));
      else if (request.headers["x-slow"] === undefined) response.end("{}");
    }),
  );
  const limit = alarm(100);
  const transport = transportOf({ clock: limit });
  expect((await transport.ask(callOf(server.url, { headers: { "x-big": "1" } }))).status).toBe("over-limit");
  const late = transport.ask(callOf(server.url, { headers: { "x-slow": "1" }, timeoutMs: 100 }));
  await until(() => server.requests.length === 2);
  limit.ring();
  expect((await late).status).toBe("timed-out");
  expect(await transport.ask(callOf(server.url))).toMatchObject({ status: "answered", body: "{}" });
  expect(server.connections).toBe(3);
});

test("a server that keeps no connection gets a new one for each call", async () => {
  const server = await during(serve((_, response) => void response.setHeader("connection", "close").end("{}")));
  const transport = transportOf();
  for (let i = 0; i < 3; i++) expect(await transport.ask(callOf(server.url))).toMatchObject({ status: "answered" });
  expect(server.connections).toBe(3);
});

const PROGRAM = `
import { createHttpTransport } from ${JSON.stringify(import.meta.resolve("../../src/transport/http/transport.ts"))};
import { clock } from ${JSON.stringify(import.meta.resolve("../process/clock.ts"))};
const call = { url: process.argv[1], headers: {}, body: "{}", tier: "user", timeoutMs: 60_000, label: "a hook" };
// A clock whose timers never fire: nothing but the connection itself could keep the process alive.
const stopped = { ...clock, timer: () => ({ cancel() {}, hold() {} }) };
const { status } = await createHttpTransport({ clock: stopped }).ask(call);
console.log(status);`;

test("a connection that is kept does not keep the process alive", async () => {
  const server = await during(serve(answers({})));
  const args = ["--no-warnings", "--input-type=module", "-e", PROGRAM, "--", server.url];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: {}, timeout: 60_000 });
  expect(stdout).toBe("answered\n");
});
