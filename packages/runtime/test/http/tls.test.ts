import { execFile } from "node:child_process";
import { createServer } from "node:tls";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { type Certificate, makeAuthority } from "./certificates.ts";
import { during, transportOf } from "./kit.ts";
import { answers, callOf, serve, serveRaw } from "./servers.ts";

const authority = makeAuthority();
const good = authority.issue({ names: ["localhost", "hooks.example.com", "127.0.0.1"] });
const trusting = { ca: [authority.ca] };

test.each(["localhost", "127.0.0.1"])(
  "a certificate for %s of an authority that is trusted is accepted",
  async (host) => {
    const server = await during(serve(answers({ ok: true }), good));
    const report = await transportOf(trusting).ask(callOf(`https://${host}:${server.port}/`));
    expect(report).toMatchObject({ status: "answered", httpStatus: 200, body: '{"ok":true}' });
  },
);

test("the name of the URL is what the certificate must hold, not the address that it leads to", async () => {
  const server = await during(serve(answers({}), authority.issue({ names: ["127.0.0.1"] })));
  const resolve = async () => [{ address: "127.0.0.1" }];
  const report = await transportOf({ ...trusting, resolve }).ask(callOf(`https://hooks.example.com:${server.port}/`));
  expect(report).toMatchObject({ status: "not-sent", problem: expect.stringContaining("another name") });
});

const yesterday = new Date(Date.now() - 86_400_000);
const inTwoMonths = new Date(Date.now() + 60 * 86_400_000);
const WRONG: Readonly<Record<string, readonly [Certificate, problem: string]>> = {
  "for another name": [
    authority.issue({ names: ["other.example.com"] }),
    "another name (ERR_TLS_CERT_ALTNAME_INVALID)",
  ],
  "that has expired": [authority.issue({ names: ["localhost"], until: yesterday }), "expired (CERT_HAS_EXPIRED)"],
  "that is not valid yet": [authority.issue({ names: ["localhost"], until: inTwoMonths }), "(CERT_NOT_YET_VALID)"],
  "of an unknown authority": [makeAuthority("Another").issue({ names: ["localhost"] }), "an unknown authority"],
};

test.each(Object.keys(WRONG))("nothing is sent to a server with a certificate %s", async (name) => {
  const [certificate, problem] = WRONG[name] as (typeof WRONG)[string];
  let bytes = 0;
  const server = createServer({ ...certificate }, (socket) => {
    socket
      .on("error", () => {})
      .on("data", (chunk) => {
        bytes += chunk.length;
      });
  });
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const report = await transportOf(trusting).ask(callOf(`https://localhost:${port}/`));
  expect(report).toMatchObject({ status: "not-sent", problem: expect.stringContaining(problem) });
  expect(report.problem).toContain(`localhost:${port} has a certificate`);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(bytes).toBe(0);
});

test("an unknown certificate is refused unless further authorities are given", async () => {
  const server = await during(serve(answers({}), good));
  expect(await transportOf().ask(callOf(server.url))).toMatchObject({ status: "not-sent" });
  expect(server.requests).toEqual([]);
});

test("a server that speaks no TLS gets nothing", async () => {
  const server = await during(serve(answers({})));
  const report = await transportOf(trusting).ask(callOf(`https://localhost:${server.port}/`));
  expect(report.status).toBe("not-sent");
  expect(server.requests).toEqual([]);
});

test("a server that never answers the TLS greeting runs into the limit", async () => {
  const server = await during(serveRaw(() => {}));
  const report = await transportOf(trusting).ask(callOf(`https://localhost:${server.port}/`, { timeoutMs: 200 }));
  expect(report).toMatchObject({ status: "timed-out", problem: expect.stringContaining("while connecting") });
  await expect.poll(() => server.sockets.size).toBe(0);
});

/** Asks in a process of its own, which has variables that would loosen other clients. */
const PROGRAM = `
import { createHttpTransport } from ${JSON.stringify(import.meta.resolve("../../src/transport/http/transport.ts"))};
import { clock } from ${JSON.stringify(import.meta.resolve("../process/clock.ts"))};
const transport = createHttpTransport({ clock });
for (const url of process.argv.slice(1)) {
  const call = { url, headers: {}, body: "{}", tier: "user", timeoutMs: 60_000, label: "a hook" };
  const { status, problem } = await transport.ask(call);
  console.log(status, problem ?? "");
}`;

async function askApart(urls: readonly string[], env: Readonly<Record<string, string>>): Promise<string[]> {
  const args = ["--no-warnings", "--input-type=module", "-e", PROGRAM, "--", ...urls];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return stdout.trim().split("\n");
}

test("variables of Node and of proxies loosen nothing and lead nowhere else", async () => {
  const proxy = await during(serve(answers("proxied")));
  const plain = await during(serve(answers({})));
  const encrypted = await during(serve(answers({}), good));
  const said = await askApart([plain.url, encrypted.url], {
    NODE_TLS_REJECT_UNAUTHORIZED: "0",
    NODE_USE_ENV_PROXY: "1",
    HTTP_PROXY: `http://127.0.0.1:${proxy.port}`,
    HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
    NO_PROXY: "",
  });
  expect(said).toEqual([
    expect.stringMatching(/^answered/),
    expect.stringMatching(/^not-sent localhost:\d+ has a certificate/),
  ]);
  expect(proxy.connections).toBe(0);
  expect(encrypted.requests).toEqual([]);
});
