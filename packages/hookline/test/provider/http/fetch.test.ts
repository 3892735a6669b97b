import type { IncomingMessage } from "node:http";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, test, vi } from "vitest";
import { wireFetch } from "../../../src/provider/http/fetch.ts";
import { fetchAtOrigin } from "../../../src/provider/http/origin.ts";
import { seen, serve, stop } from "./loopback.ts";

// Each case runs over both, and both must do the same.
const ways: [name: string, send: typeof fetch][] = [
  ["the agent's fetch", wireFetch],
  ["Node's fetch", (...call) => globalThis.fetch(...call)],
];

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Whether the request came from Node's own client. */
const isNodes = (headers: IncomingMessage["headers"]) => headers["sec-fetch-mode"] !== undefined;

const encodings = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync } as const;

describe.each(ways)("%s", (_, send) => {
  const own = send === wireFetch;
  test("a request arrives with its method, headers and body, and the answer with its own", async () => {
    const url = await serve((_, response) => {
      response.writeHead(201, "Made", [
        ["X-One", "1"],
        ["Set-Cookie", "a=1"],
        ["Set-Cookie", "b=2"],
      ]);
      response.end("é日👋");
    });
    const headers = { "Content-Type": "application/json", "X-Key": "k" };
    const response = await send(`${url}/v1/x?y=1`, { method: "post", headers, body: '{"é":1}' });
    expect(seen[0]).toMatchObject({
      method: "POST",
      url: "/v1/x?y=1",
      body: '{"é":1}',
      headers: { "content-type": "application/json", "x-key": "k", "content-length": "8", connection: "keep-alive" },
    });
    expect(response).toMatchObject({
      status: 201,
      statusText: "Made",
      ok: true,
      url: `${url}/v1/x?y=1`,
      bodyUsed: false,
    });
    expect(response.headers.get("x-one")).toBe("1");
    expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(await response.text()).toBe("é日👋");
    expect(response.bodyUsed).toBe(true);
    await expect(response.text()).rejects.toThrow(TypeError);
  });

  test("an unsuccessful answer is an answer", async () => {
    const url = await serve((_, response) => response.writeHead(429, { "retry-after": "3" }).end('{"error":{"a":1}}'));
    const response = await send(url);
    expect(response).toMatchObject({ status: 429, ok: false });
    expect(response.headers.get("Retry-After")).toBe("3");
    expect(await response.json()).toEqual({ error: { a: 1 } });
  });

  test("chunks are read as they arrive, by a loop or by a reader", async () => {
    let go: (() => void) | undefined;
    const url = await serve((_, response) => {
      response.write("one");
      go = () => response.end("two");
    });
    const first = await send(url);
    const parts: string[] = [];
    for await (const part of first.body as unknown as AsyncIterable<Uint8Array>) {
      parts.push(Buffer.from(part).toString());
      go?.();
    }
    expect(parts.join("|")).toBe("one|two");
    const reader = (await send(url)).body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe("one");
    go?.();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe("two");
    expect(await reader?.read()).toEqual({ done: true, value: undefined });
  });

  test.each(Object.entries(encodings))("what is sent as %s is read without it", async (encoding, encode) => {
    const url = await serve((_, response) => {
      response.writeHead(200, { "content-encoding": encoding }).end(encode("a text that is long enough ".repeat(9)));
    });
    expect(await (await send(url)).text()).toBe("a text that is long enough ".repeat(9));
  });

  test("an abort ends a request before its answer and in the middle of it", async () => {
    const url = await serve((request, response) => {
      if (request.url === "/part") response.write("one");
    });
    await expect(send(url, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: "AbortError" });
    expect(seen).toEqual([]);
    const waiting = new AbortController();
    const never = send(url, { signal: waiting.signal });
    await vi.waitFor(() => expect(seen).toHaveLength(1), { timeout: 60_000 });
    waiting.abort();
    await expect(never).rejects.toMatchObject({ name: "AbortError" });
    const reading = new AbortController();
    const part = await send(`${url}/part`, { signal: reading.signal });
    const text = part.text();
    reading.abort();
    await expect(text).rejects.toMatchObject({ name: "AbortError" });
  });

  test("a server that cannot be reached and one that hangs up have different errors", async () => {
    const url = await serve((request, response) => {
      if (request.url === "/part") response.write("one", () => request.socket.destroy());
      else request.socket.destroy();
    });
    await expect(send(url)).rejects.toMatchObject({ name: "TypeError", message: "fetch failed" });
    const part = await send(`${url}/part`);
    await expect(part.text()).rejects.toMatchObject({ name: "TypeError", message: "terminated" });
    stop();
    const refused = { name: "TypeError", message: "fetch failed", cause: { code: "ECONNREFUSED" } };
    await expect(send(url)).rejects.toMatchObject(refused);
  });

  test("a header that cannot be sent is refused", async () => {
    const url = await serve((_, response) => response.end());
    await expect(send(url, { headers: { "x-key": "a\nb" } })).rejects.toThrow(TypeError);
    expect(seen).toEqual([]);
  });

  test("the agent's own client sends without Node's", async () => {
    const url = await serve((_, response) => response.end());
    await send(url);
    expect(isNodes(seen[0]?.headers ?? {})).toBe(!own);
  });

  test("a redirect within the origin is followed with all headers", async () => {
    const url = await serve((request, response) => {
      if (request.url === "/far") response.writeHead(307, { location: "/new" }).end();
      else if (request.url === "/see") response.writeHead(303, { location: "/new" }).end();
      else response.end("here");
    });
    const init = { method: "POST", headers: { authorization: "Bearer k", "content-type": "text/x" }, body: "b" };
    expect(await (await send(`${url}/far`, init)).text()).toBe("here");
    expect(seen.at(-1)).toMatchObject({
      method: "POST",
      url: "/new",
      body: "b",
      headers: { authorization: "Bearer k" },
    });
    expect(await (await send(`${url}/see`, init)).text()).toBe("here");
    expect(seen.at(-1)).toMatchObject({ method: "GET", url: "/new", body: "", headers: { authorization: "Bearer k" } });
    expect(seen.at(-1)?.headers).not.toHaveProperty("content-type");
  });
});

describe.each([
  ["the agent's fetch", wireFetch],
  ["the fetch that stays at its origin", fetchAtOrigin],
])("%s", (_, send) => {
  test.each(["http://[::1]:9/", "//h.test/x", "https://127.0.0.1/", "http://", "file:///etc/passwd"])(
    "a redirect to %s is an error of its own",
    async (location) => {
      const url = await serve((_, response) => response.writeHead(307, { location }).end());
      const response = await send(url, { method: "POST", headers: { "x-goog-api-key": "k" }, body: "b" });
      expect([response.status, seen.length]).toEqual([307, 1]);
      expect(await response.text()).toContain(`${url} redirects to `);
    },
  );

  test("redirects in circles are given up", async () => {
    const url = await serve((_, response) => response.writeHead(308, { location: "/again" }).end());
    expect((await send(url, { method: "POST", body: "b" })).status).toBe(308);
    expect(seen.length).toBeLessThan(20);
  });
});

test("a module's own fetch or dispatcher and a proxy are used, and unusual requests go to Node's fetch", async () => {
  const url = await serve((_, response) => response.end("server"));
  const byNode = async (input: string | Request): Promise<boolean> => {
    expect(await (await wireFetch(input)).text()).toBe("server");
    return isNodes(seen.at(-1)?.headers ?? {});
  };
  expect(await byNode(url)).toBe(false);
  expect(await byNode(new Request(url))).toBe(true);
  expect(await byNode(url)).toBe(false);
  vi.stubEnv("NODE_USE_ENV_PROXY", "1");
  expect(await byNode(url)).toBe(true);
  vi.unstubAllEnvs();

  const names = ["undici.globalDispatcher.1", "undici.globalDispatcher.2"].map((name) => Symbol.for(name));
  const before = names.map((name) => Reflect.get(globalThis, name));
  const dispatched: unknown[] = [];
  names.forEach((name, i) => {
    const dispatch = (...call: unknown[]): unknown => {
      dispatched.push(call);
      return before[i].dispatch(...call);
    };
    Reflect.set(globalThis, name, { dispatch });
  });
  try {
    expect(await byNode(url)).toBe(true);
    expect(dispatched).toHaveLength(1);
  } finally {
    names.forEach((name, i) => void Reflect.set(globalThis, name, before[i]));
  }

  vi.stubGlobal("fetch", async () => new Response("module"));
  expect(await (await wireFetch(url)).text()).toBe("module");
});
