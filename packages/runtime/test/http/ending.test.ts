import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { expect, onTestFinished, test } from "vitest";
import { alarm, clock } from "../process/clock.ts";
import { makeAuthority } from "./certificates.ts";
import { during, transportOf, until } from "./kit.ts";
import { answers, callOf, type Served, serve, serveRaw } from "./servers.ts";

const authority = makeAuthority();

/**
 * The diagnostics channel on which Node reports that a client has read the headers of an answer, just before the
 * request's own event.
 */
const RESPONSE = "http.client.response.finish";

/** Servers that never come to an end, each in another phase of a call. */
const SLOW: Readonly<Record<string, () => Promise<Served>>> = {
  "before it reads the request": () => serveRaw(() => {}),
  "before the headers": () => serve(() => {}),
  "within the headers": () => serveRaw((socket) => drip(socket, "HTTP/1.1 200 OK\r\nx-slow: ", "y")),
  "with interim answers": () => serveRaw((socket) => drip(socket, "", "HTTP/1.1 103 Early Hints\r\n\r\n")),
  "before the body": () => serve((_, response) => void response.writeHead(200, { "content-length": 9 }).flushHeaders()),
  "within the body": () =>
    serve((_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      drip(response, "{", " ");
    }),
};

/** Writes a piece again and again, so that the other side never falls silent. */
function drip(
  to: { write(text: string): unknown; on(event: "close", end: () => void): unknown },
  first: string,
  piece: string,
) {
  to.write(first);
  const timer = setInterval(() => to.write(piece), 5);
  to.on("close", () => clearInterval(timer));
}

test.each(Object.keys(SLOW))("the limit ends a call whose server hangs or drips %s", async (name) => {
  const server = await during((SLOW[name] as () => Promise<Served>)());
  const limit = alarm(500);
  const isInBody = name.endsWith("body");
  // The headers have been read, or there are none to wait for.
  const ring = (): void => void setImmediate(limit.ring);
  if (isInBody) subscribe(RESPONSE, ring);
  onTestFinished(() => void unsubscribe(RESPONSE, ring));
  const asking = transportOf({ clock: limit }).ask(callOf(server.url, { timeoutMs: 500 }));
  if (!isInBody) await until(() => server.connections > 0);
  if (!isInBody) limit.ring();
  const report = await asking;
  expect(report).toMatchObject({ status: "timed-out", body: "", problem: expect.stringContaining("within 500 ms") });
  expect(report.httpStatus).toBe(isInBody ? 200 : undefined);
  // Nothing of it stays open.
  await expect.poll(() => server.sockets.size).toBe(0);
});

test.each(Object.keys(SLOW))("an abort ends a call at once whose server hangs or drips %s", async (name) => {
  const server = await during((SLOW[name] as () => Promise<Served>)());
  const stop = new AbortController();
  const asking = transportOf().ask(callOf(server.url, { signal: stop.signal }));
  await until(() => server.connections > 0);
  await new Promise((resolve) => setTimeout(resolve, 30));
  stop.abort();
  expect(await asking).toMatchObject({ status: "aborted", body: "" });
  await expect.poll(() => server.sockets.size).toBe(0);
});

test("a call that is aborted before it begins opens nothing", async () => {
  const server = await during(serve(answers({})));
  const report = await transportOf().ask(callOf(server.url, { signal: AbortSignal.abort() }));
  expect(report.status).toBe("aborted");
  expect(server.connections).toBe(0);
});

test("an abort during the look-up, the connection or TLS ends the call", async () => {
  const raw = await during(serveRaw(() => {}));
  const looking = transportOf({ resolve: () => new Promise(() => {}) });
  const greeting = transportOf({ ca: [authority.ca] });
  for (const [transport, url] of [
    [looking, "https://hooks.example.com/"],
    [greeting, `https://localhost:${raw.port}/`],
  ] as const) {
    const stop = new AbortController();
    const asking = transport.ask(callOf(url, { signal: stop.signal }));
    await new Promise((resolve) => setTimeout(resolve, 30));
    stop.abort();
    expect(await asking).toMatchObject({ status: "aborted", problem: "aborted while connecting" });
  }
  await expect.poll(() => raw.sockets.size).toBe(0);
});

test("an abort after the answer takes nothing back, and leaves the connection to the next call", async () => {
  const server = await during(serve(answers({})));
  const stop = new AbortController();
  const transport = transportOf();
  expect(await transport.ask(callOf(server.url, { signal: stop.signal }))).toMatchObject({ status: "answered" });
  stop.abort();
  expect(await transport.ask(callOf(server.url))).toMatchObject({ status: "answered" });
  expect(server.connections).toBe(1);
});

test("the wait for a free place counts for no limit, and an abort ends it", async () => {
  const release: (() => void)[] = [];
  const server = await during(serve((_, response) => void release.push(() => response.end("{}"))));
  const limit = alarm(2000);
  const transport = transportOf({ clock: limit, concurrency: 1 });
  const first = transport.ask(callOf(server.url));
  await until(() => release.length === 1);
  const stop = new AbortController();
  const second = transport.ask(callOf(server.url, { timeoutMs: 2000 }));
  const third = transport.ask(callOf(server.url, { signal: stop.signal }));
  stop.abort();
  expect(await third).toMatchObject({ status: "aborted", runMs: 0 });
  // Its time would be over, had it begun.
  limit.ring();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(release.length).toBe(1);
  release[0]?.();
  await until(() => release.length === 2);
  release[1]?.();
  expect(await first).toMatchObject({ status: "answered", queueMs: expect.any(Number) });
  expect((await second).queueMs).toBeGreaterThan(0);
});

test("closing the transport aborts what runs, what waits and what comes later", async () => {
  const server = await during(serve(() => {}));
  const transport = transportOf({ concurrency: 1 });
  const asking = [transport.ask(callOf(server.url)), transport.ask(callOf(server.url))];
  await until(() => server.requests.length === 1);
  await transport.close();
  expect((await Promise.all(asking)).map(({ status }) => status)).toEqual(["aborted", "aborted"]);
  expect(await transport.ask(callOf(server.url))).toMatchObject({ status: "aborted" });
  await expect.poll(() => server.sockets.size).toBe(0);
});

test("a limit above what a timer takes does not fire at once", async () => {
  const server = await during(serve(answers({})));
  const set: number[] = [];
  const watched = {
    ...clock,
    timer: (ms: number, fire: () => void) => {
      set.push(ms);
      return clock.timer(ms, fire);
    },
  };
  const report = await transportOf({ clock: watched }).ask(callOf(server.url, { timeoutMs: 99_999_999_000 }));
  expect(report.status).toBe("answered");
  expect(Math.max(...set)).toBe(2 ** 31 - 1);
});
