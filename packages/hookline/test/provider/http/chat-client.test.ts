import type { RequestListener } from "node:http";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ChatClient, type ChatClientOptions } from "../../../src/provider/http/chat-client.ts";
import { wireFetch } from "../../../src/provider/http/fetch.ts";
import { seen, serve, stop } from "./loopback.ts";

// OpenAI's own client, as pi-ai has it.
const near = createRequire(fileURLToPath(import.meta.resolve("@earendil-works/pi-ai/api/openai-completions")));
const { default: OpenAI } = (await import(near.resolve("openai"))) as {
  default: new (options: ChatClientOptions & { maxRetries: 0 }) => Pick<ChatClient, "chat">;
};

// Each case runs over both, and both must do the same.
const ways: [name: string, make: (options: ChatClientOptions) => Pick<ChatClient, "chat">][] = [
  ["the agent's client", (options) => new ChatClient(options)],
  ["OpenAI's client", (options) => new OpenAI({ ...options, maxRetries: 0 })],
];

afterEach(() => {
  vi.unstubAllEnvs();
});

/** The address that a client of this wire is given. */
const serving = async (listener: RequestListener) => `${await serve(listener)}/v1`;

const BODY = { model: "m1", stream: true, messages: [{ role: "user", content: "é日👋" }] };

const says =
  (...parts: string[]): RequestListener =>
  (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const [first = "", ...rest] = parts;
    response.write(first);
    // Each part is a piece of its own.
    const next = (): void => {
      const part = rest.shift();
      if (part === undefined) response.end();
      else setTimeout(() => response.write(part, next), 5);
    };
    next();
  };

test("a request has the body, and names no other program", async () => {
  const url = await serving(says("data: [DONE]\n\n"));
  for (const baseURL of [url, `${url}/`]) {
    const { data } = await new ChatClient({
      apiKey: "k",
      baseURL,
      defaultHeaders: { "User-Agent": "hookline" },
    }).chat.completions
      .create(BODY)
      .withResponse();
    for await (const piece of data) expect(piece).toBeUndefined();
  }
  const expected = {
    method: "POST",
    url: "/v1/chat/completions",
    body: JSON.stringify(BODY),
    headers: {
      accept: "application/json",
      "accept-encoding": "gzip, deflate",
      authorization: "Bearer k",
      connection: "keep-alive",
      "content-length": String(Buffer.byteLength(JSON.stringify(BODY))),
      "content-type": "application/json",
      host: new URL(url).host,
      "user-agent": "hookline",
    },
  };
  expect(seen).toEqual([expected, expected]);
});

/** How a request of the agent's client fails. */
async function failure(listener: RequestListener): Promise<string> {
  const client = new ChatClient({ apiKey: "k", baseURL: await serving(listener) });
  try {
    const { data } = await client.chat.completions.create(BODY).withResponse();
    for await (const piece of data) expect(piece).toBeUndefined();
  } catch (thrown) {
    return String((thrown as Error).message);
  }
  return "none";
}

// OpenAI's client has nothing to say about these.
test("errors in the server's own words, web pages and broken parts are reported", async () => {
  const detail = '{"detail":"no model x"}';
  expect(await failure((_, response) => response.writeHead(404).end(detail))).toBe(`404 ${detail}`);
  const type = { "content-type": "text/html; charset=utf-8" };
  const page = await failure((_, response) => response.writeHead(200, type).end("<html>"));
  expect(page).toMatch(/^http:.*\/chat\/completions sent a web page, not a reply\. Check the address/);
  expect(await failure(says('data: {"a"\n\n'))).toBe('The server sent a part of the reply that is not JSON: {"a"');
});

describe.each(ways)("%s", (_, make) => {
  const client = (baseURL: string, more: Partial<ChatClientOptions> = {}) =>
    make({
      apiKey: "k",
      baseURL,
      fetch: wireFetch as typeof fetch,
      defaultHeaders: { "User-Agent": "hookline" },
      ...more,
    });

  /** Returns the events of a request, up to its end or its error. */
  async function told(baseURL: string, options: object = {}, more: Partial<ChatClientOptions> = {}) {
    const pieces: unknown[] = [];
    try {
      const { data } = await client(baseURL, more).chat.completions.create(BODY, options).withResponse();
      for await (const piece of data) pieces.push(piece);
      return { pieces };
    } catch (thrown) {
      const { message, status, error, code, param, type, requestID } = thrown as Record<string, unknown>;
      return { pieces, message, status, error, code, param, type, requestID };
    }
  }

  test("headers are removed, replaced and added by the options and by the environment", async () => {
    const url = await serving(says("data: [DONE]\n\n"));
    vi.stubEnv("OPENAI_ORG_ID", " org ");
    vi.stubEnv("OPENAI_PROJECT_ID", "project");
    vi.stubEnv("OPENAI_CUSTOM_HEADERS", "x-one: 1\nx-two: 2\nnone");
    const defaultHeaders = { Authorization: null, ACCEPT: "text/event-stream", "x-two": " zwei ", "x-no": undefined };
    await told(url, { timeout: 30_500 }, { defaultHeaders: { "User-Agent": "hookline", ...defaultHeaders } });
    expect(seen[0]?.headers).toMatchObject({
      accept: "text/event-stream",
      "openai-organization": "org",
      "openai-project": "project",
      "x-one": "1",
      "x-two": "zwei",
    });
    expect(seen[0]?.headers).not.toHaveProperty("authorization");
    expect(seen[0]?.headers).not.toHaveProperty("x-no");
  });

  test("a header that cannot be sent is named", async () => {
    const url = await serving(says("data: [DONE]\n\n"));
    const { message } = await told(url, {}, { defaultHeaders: { "x-bad": "a\nb" } });
    expect(message).toMatch(/x-bad|a\nb/);
    expect(seen).toEqual([]);
  });

  test.each<[string, string[], unknown[]]>([
    ["in one part", ['data: {"a":1}\n\ndata: {"a":2}\n\ndata: [DONE]\n\n'], [{ a: 1 }, { a: 2 }]],
    ["cut anywhere", ["da", 'ta: {"a":', "1}\n", '\ndata:{"a":2}\n\n', "data: [DONE]\n\n"], [{ a: 1 }, { a: 2 }]],
    ["with other line breaks", ['data: {"a":1}\r\n\r\ndata: {"a":2}\r\rdata: [DONE]\n\n'], [{ a: 1 }, { a: 2 }]],
    ["with a line break cut in two", ['data: {"a":1}\r', "\n\r", '\ndata: {"a":2}\n\n'], [{ a: 1 }, { a: 2 }]],
    ["with comments and other fields", [': hello\n\nid: 7\nevent: x\ndata: {"a":1}\nretry: 3\n\n'], [{ a: 1 }]],
    ["over several lines", ['data: {"a":\ndata: 1}\n\n'], [{ a: 1 }]],
    ["and none behind the end", ['data: {"a":1}\n\ndata: [DONE]\n\ndata: {"a":2}\n\n'], [{ a: 1 }]],
    ["but not one that was cut off", ['data: {"a":1}\n\ndata: {"a":2}\n'], [{ a: 1 }]],
    ["and not one without an end", ['data: {"a":1}\n\ndata: {"a":'], [{ a: 1 }]],
  ])("the pieces come %s", async (_, parts, pieces) => {
    const url = await serving(says(...parts));
    expect(await told(url)).toEqual({ pieces });
  });

  test("characters that are split between chunks are whole", async () => {
    const bytes = Buffer.from('data: {"a":"é日👋"}\n\n');
    const url = await serving((_, response) => {
      response.writeHead(200);
      const send = (at: number): void => {
        if (at === bytes.length) response.end();
        else response.write(bytes.subarray(at, at + 1), () => setTimeout(send, 1, at + 1));
      };
      send(0);
    });
    expect(await told(url)).toEqual({ pieces: [{ a: "é日👋" }] });
  });

  test("an error in the stream ends it", async () => {
    const url = await serving(
      says('data: {"a":1}\n\ndata: {"error":{"message":"too much","code":"c","type":"t"}}\n\n'),
    );
    expect(await told(url)).toEqual({
      pieces: [{ a: 1 }],
      message: "too much",
      status: undefined,
      error: { message: "too much", code: "c", type: "t" },
      code: "c",
      param: undefined,
      type: "t",
      requestID: null,
    });
  });

  test("a piece that is not JSON ends the stream", async () => {
    vi.stubEnv("OPENAI_LOG", "off");
    const url = await serving(says('data: {"a":1}\n\ndata: {"a"\n\n'));
    expect(await told(url)).toMatchObject({ pieces: [{ a: 1 }], message: expect.stringMatching(/JSON/) });
  });

  test.each<[number, string, object]>([
    [
      400,
      '{"error":{"message":"bad","param":"p"}}',
      { message: "400 bad", error: { message: "bad", param: "p" }, param: "p" },
    ],
    [401, '{"error":{"code":"x"}}', { message: '401 {"code":"x"}', code: "x" }],
    [429, '{"error":{"message":{"a":1}}}', { message: '429 {"a":1}' }],
    [500, "no JSON", { message: "500 no JSON", error: undefined }],
    [503, "", { message: "503 status code (no body)" }],
    [418, '{"error":"text"}', { message: '418 "text"', error: "text" }],
    [422, "null", { message: "422 null" }],
    [400, '{"error":{"message":""}}', { message: '400 {"message":""}' }],
  ])("an answer of %i with %s is an error", async (status, body, expected) => {
    const url = await serving((_, response) => response.writeHead(status, { "x-request-id": "r1" }).end(body));
    expect(await told(url)).toMatchObject({ pieces: [], status, requestID: "r1", ...expected });
  });

  test("a server that is not there is a connection error", async () => {
    const url = await serving(says(""));
    stop();
    expect(await told(url)).toMatchObject({ pieces: [], message: "Connection error.", status: undefined });
  });

  test("a connection that is cut in the middle is an error", async () => {
    const url = await serving((_, response) => {
      response.writeHead(200);
      response.write('data: {"a":1}\n\n', () => response.destroy());
    });
    expect(await told(url)).toMatchObject({ pieces: [{ a: 1 }], message: "terminated" });
  });

  test("headers that do not arrive in time are a timeout", async () => {
    const url = await serving(() => {});
    expect(await told(url, { timeout: 20 })).toMatchObject({ message: "Request timed out.", status: undefined });
  });

  test("an abort before the headers is an error, later it ends the stream", async () => {
    const done = AbortSignal.abort();
    const url = await serving((_, response) => {
      response.writeHead(200);
      response.write('data: {"a":1}\n\n');
    });
    expect(await told(url, { signal: done })).toMatchObject({ message: "Request was aborted." });
    expect(seen).toEqual([]);
    const stop = new AbortController();
    const { data } = await client(url).chat.completions.create(BODY, { signal: stop.signal }).withResponse();
    const pieces: unknown[] = [];
    for await (const piece of data) {
      pieces.push(piece);
      stop.abort();
    }
    expect(pieces).toEqual([{ a: 1 }]);
  });

  test("an abort while waiting for the headers is an error", async () => {
    const stop = new AbortController();
    const url = await serving(() => stop.abort());
    expect(await told(url, { signal: stop.signal })).toMatchObject({ message: "Request was aborted." });
  });

  test("a reader that stops early closes the connection", async () => {
    let closed: () => void = () => {};
    const cut = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const url = await serving((_, response) => {
      response.once("close", closed);
      response.writeHead(200);
      response.write('data: {"a":1}\n\n');
    });
    const { data } = await client(url).chat.completions.create(BODY, {}).withResponse();
    for await (const piece of data) {
      expect(piece).toEqual({ a: 1 });
      break;
    }
    await cut;
  });
});
