import { expect, test, vi } from "vitest";
import type { HttpCall } from "../../src/port/http.ts";
import type { Resolve } from "../../src/transport/http/connect.ts";
import { makeAuthority } from "./certificates.ts";
import { during, transportOf } from "./kit.ts";
import { answers, callOf, serve } from "./servers.ts";

const authority = makeAuthority();
const certificate = authority.issue({ names: ["hooks.example.com"] });
const ca = [authority.ca];
const TIERS = ["builtin", "user", "project", "session"] as const;

const to =
  (...addresses: readonly string[]): Resolve =>
  async () =>
    addresses.map((address) => ({ address }));

/** Asks a name that leads to this machine, as a private address would lead into a network. */
async function askName(more: Partial<HttpCall>, resolve: Resolve = to("127.0.0.1")) {
  const server = await during(serve(answers({}), certificate));
  const transport = transportOf({ ca, resolve });
  const report = await transport.ask(callOf(`https://hooks.example.com:${server.port}/`, more));
  return { report, server };
}

test.each(["builtin", "user"] as const)("a hook of tier %s reaches what its name leads to", async (tier) => {
  expect((await askName({ tier })).report.status).toBe("answered");
});

test.each(["project", "session"] as const)("a name that leads to this machine is refused to a %s", async (tier) => {
  const { report, server } = await askName({ tier });
  expect(report).toMatchObject({
    status: "refused",
    problem:
      "hooks.example.com leads to 127.0.0.1, this machine under another name, which only hooks of the user's own may ask",
  });
  expect(server.connections).toBe(0);
});

test.each([
  "10.1.2.3",
  "169.254.169.254",
  "100.64.0.1",
  "0.0.0.0",
  "224.0.0.1",
  "::",
  "::ffff:127.0.0.1",
  "64:ff9b::7f00:1",
  "fe80::1",
  "fd00::1",
  "no address",
])("a project's name that leads to %s is refused, and so is one among others", async (address) => {
  for (const resolve of [to(address), to("2e00::1", address)]) {
    const { report, server } = await askName({ tier: "project" }, resolve);
    expect(report).toMatchObject({ status: "refused", problem: expect.stringContaining(address) });
    expect(server.connections).toBe(0);
  }
});

test.each([
  "https://10.0.0.1/",
  "https://0x0a000001/",
  "https://[fd00::1]/",
  "https://[::ffff:8.8.8.8]/",
  "https://0.0.0.0/",
  "https://169.254.169.254/latest",
])("a project's URL %s is refused, without a look-up", async (url) => {
  const resolve = vi.fn(to("2e00::1"));
  expect(await transportOf({ resolve }).ask(callOf(url, { tier: "project" }))).toMatchObject({ status: "refused" });
  expect(resolve).not.toHaveBeenCalled();
});

test.each(TIERS)("a URL that says that it stays on this machine may be asked by tier %s", async (tier) => {
  const server = await during(serve(answers({})));
  const resolve = vi.fn(to("2e00::1"));
  const transport = transportOf({ resolve });
  for (const host of ["localhost", "127.0.0.1", "app.localhost", "2130706433"])
    expect(await transport.ask(callOf(`http://${host}:${server.port}/`, { tier }))).toMatchObject({
      status: "answered",
    });
  // Names of this machine are not looked up: a name server could resolve them to another address.
  expect(resolve).not.toHaveBeenCalled();
});

test.each(TIERS)("what is not encrypted and not on this machine is refused to tier %s", async (tier) => {
  const resolve = vi.fn(to("127.0.0.1"));
  const report = await transportOf({ resolve }).ask(callOf("http://hooks.example.com/", { tier }));
  expect(report).toMatchObject({ status: "refused", problem: expect.stringContaining("without encryption") });
  expect(resolve).not.toHaveBeenCalled();
});

test("a name that changes where it leads is used as it was judged, and judged anew for a new connection", async () => {
  const server = await during(serve(answers({}), certificate));
  const answersOfDns = [["127.0.0.1"], ["10.0.0.1"]];
  let asked = 0;
  const resolve: Resolve = async () => (answersOfDns[asked++] ?? ["10.0.0.1"]).map((address) => ({ address }));
  const call = callOf(`https://hooks.example.com:${server.port}/`);
  const transport = transportOf({ ca, resolve });
  // One look-up for one connection: were there a second for the connection itself, it would lead to 10.0.0.1.
  expect(await transport.ask(call)).toMatchObject({ status: "answered" });
  expect(asked).toBe(1);
  // The kept connection leads where it was judged to lead.
  expect(await transport.ask(call)).toMatchObject({ status: "answered" });
  expect([asked, server.connections]).toEqual([1, 1]);
  for (const socket of server.sockets) socket.destroy();
  await expect.poll(() => server.sockets.size).toBe(0);
  expect((await transport.ask({ ...call, timeoutMs: 100 })).status).not.toBe("answered");
  expect([asked, server.connections]).toEqual([2, 1]);
});

test("a connection of the user's is never lent to a project", async () => {
  const server = await during(serve(answers({}), certificate));
  const transport = transportOf({ ca, resolve: to("127.0.0.1") });
  const url = `https://hooks.example.com:${server.port}/`;
  expect(await transport.ask(callOf(url))).toMatchObject({ status: "answered" });
  expect(await transport.ask(callOf(url, { tier: "project" }))).toMatchObject({ status: "refused" });
  expect([server.connections, server.requests.length]).toEqual([1, 1]);
});

test("a name without an address sends nothing", async () => {
  const failing: Resolve = () => Promise.reject(Object.assign(new Error("x"), { code: "EAI_AGAIN" }));
  for (const resolve of [to(), failing]) {
    const { report } = await askName({}, resolve);
    expect(report).toMatchObject({
      status: "not-sent",
      problem: expect.stringMatching(/hooks\.example\.com:\d+ has no address/),
    });
  }
});

test.each([
  ["EMFILE", true],
  ["EADDRNOTAVAIL", true],
  ["ENOTFOUND", undefined],
  ["ECONNREFUSED", undefined],
])("a connection that fails with %s is this machine's fault: %s", async (code, isOurs) => {
  const failing: Resolve = () => Promise.reject(Object.assign(new Error("x"), { code }));
  expect((await askName({}, failing)).report).toMatchObject({ status: "not-sent", ...(isOurs && { isOurs }) });
  expect((await askName({}, failing)).report.isOurs).toBe(isOurs);
});

test("a name server that never answers runs into the limit, and its late answer leads nowhere", async () => {
  const late = Promise.withResolvers<readonly { readonly address: string }[]>();
  const { report, server } = await askName({ timeoutMs: 100 }, () => late.promise);
  expect(report).toMatchObject({ status: "timed-out", problem: expect.stringContaining("while connecting") });
  late.resolve([{ address: "127.0.0.1" }]);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(server.connections).toBe(0);
});

test.each([
  [{ headers: { Host: "evil.test" } }, "Host"],
  [{ headers: { "Transfer-Encoding": "chunked" } }, "Transfer-Encoding"],
  [{ headers: { "X-A": "b\r\nX-C: d" } }, "X-A"],
  [{ headers: { "X-A": "b\r\n\r\nPOST /other HTTP/1.1" } }, "X-A"],
  [{ url: "https://me:secret@hooks.example.com/" }, "user or password"],
  [{ url: "ftp://hooks.example.com/" }, "https"],
  [{ url: "hooks" }, "URL"],
  [{ timeoutMs: 0 }, "time limit"],
  [{ timeoutMs: Number.NaN }, "time limit"],
  [{ timeoutMs: -1 }, "time limit"],
] as const)("a call with %j is refused before anything is opened", async (more, named) => {
  const server = await during(serve(answers({})));
  const report = await transportOf().ask(callOf(server.url, more));
  expect(report).toMatchObject({ status: "refused", isOurs: true, problem: expect.stringContaining(named) });
  expect(report.problem).not.toContain("secret");
  expect(server.connections).toBe(0);
});
