import { afterEach, describe, expect, test, vi } from "vitest";
import { VERSION } from "../../../ground/src/error/version.ts";
import { APIS, createPiAiProvider, loadApi } from "../../src/provider/pi-ai.ts";
import { invalidArguments, type Model, type ProviderCall } from "../../src/provider/provider.ts";
import { classifyFailure } from "../../src/provider/retry.ts";
import { type Loopback, type LoopbackScript, startLoopback } from "../support/loopback.ts";
import { ask, collect, deltas, said, testModel, user } from "./collect.ts";

const provider = createPiAiProvider();
const bash = {
  name: "bash",
  description: "Runs a command",
  parameters: { type: "object" as const, properties: { command: { type: "string" } }, required: ["command"] },
};

let server: Loopback | undefined;
afterEach(async () => {
  vi.unstubAllEnvs();
  await server?.close();
  server = undefined;
});

const apis = [
  {
    api: "openai-completions",
    path: "/v1",
    endpoint: "/v1/chat/completions",
    keyHeader: "authorization",
    key: "Bearer k-1",
  },
  { api: "anthropic-messages", path: "", endpoint: "/v1/messages", keyHeader: "x-api-key", key: "k-1" },
] as const;

describe.each(apis)("over $api", ({ api, path, endpoint, keyHeader, key }) => {
  const serve = async (script: LoopbackScript, change: Partial<Model> = {}): Promise<[Loopback, Model]> => {
    server = await startLoopback(script);
    return [server, testModel({ api, baseUrl: server.url + path, ...change })];
  };

  test("text arrives in pieces, with the usage and its price", async () => {
    const text = "Grüße aus 日本 👋, ganz in Ruhe.";
    const [, model] = await serve([{ text, usage: { input: 900, output: 30, cacheRead: 100 } }]);
    const { events, types, message, ended } = await collect(provider, ask("hi", { model }));
    expect(ended).toBe("done");
    expect(types.filter((type) => type !== "text_delta")).toEqual(["start", "text_start", "text_end", "done"]);
    const pieces = deltas(events, "text_delta");
    expect(pieces.length).toBeGreaterThan(3);
    expect(pieces.join("")).toBe(text);
    expect(message.content).toMatchObject([{ type: "text", text }]);
    expect(message).toMatchObject({ role: "assistant", api, provider: "test", model: "test-1", stopReason: "stop" });
    expect(message.usage).toMatchObject({ input: 900, output: 30, cacheRead: 100, totalTokens: 1030 });
    expect(message.usage.cost.total).toBeCloseTo((900 + 60 + 50) / 1e6, 12);
  });

  test("bytes that arrive one by one give the same text", async () => {
    const text = "é日👋";
    const [, model] = await serve([{ text, fault: "drip" }]);
    const { message } = await collect(provider, ask("hi", { model }));
    expect(said(message)).toBe(text);
  });

  test("thinking is a block of its own", async () => {
    const [, model] = await serve([{ thinking: "Let me think.", text: "Yes." }], { reasoning: true });
    const { events, message } = await collect(provider, ask("hi", { model, thinking: "medium" }));
    expect(deltas(events, "thinking_delta").join("")).toBe("Let me think.");
    expect(message.content).toMatchObject([
      { type: "thinking", thinking: "Let me think." },
      { type: "text", text: "Yes." },
    ]);
  });

  test("tool calls come with parsed arguments and keep their ids", async () => {
    const toolCalls = [
      { id: "call_a", name: "bash", arguments: { command: 'echo "hi"', n: [1, 2] } },
      { id: "call_b", name: "bash", arguments: {} },
    ];
    const [, model] = await serve([{ text: "Running.", toolCalls }]);
    const { events, message } = await collect(provider, ask("hi", { model, tools: [bash] }));
    expect(message.stopReason).toBe("toolUse");
    expect(message.content).toMatchObject([
      { type: "text" },
      { type: "toolCall", id: "call_a", name: "bash", arguments: { command: 'echo "hi"', n: [1, 2] } },
      { type: "toolCall", id: "call_b", name: "bash", arguments: {} },
    ]);
    const ends = events.flatMap((event) => (event.type === "toolcall_end" ? [event.toolCall.id] : []));
    expect(ends).toEqual(["call_a", "call_b"]);
    expect(invalidArguments(message).size).toBe(0);
  });

  test.each([
    ["cut off", '{"command": "rm -rf bui'],
    ["a trailing comma", '{"command": "ls",}'],
    ["a raw line break in a string", '{"command": "a\nb"}'],
    ["an unknown escape", '{"command": "C:\\dir"}'],
    ["two objects", '{"command": "ls"}{"command": "rm"}'],
    ["no JSON at all", "ls -la"],
    ["a list", '["ls"]'],
    ["a bare text", '"ls"'],
  ])("arguments with %s are marked with their exact text, and only they", async (_what, argumentsRaw) => {
    const toolCalls = [
      { id: "bad", name: "bash", argumentsRaw },
      { id: "good", name: "bash", arguments: { command: "ok" } },
    ];
    const [, model] = await serve([{ toolCalls }]);
    const { message } = await collect(provider, ask("hi", { model, tools: [bash] }));
    expect([...invalidArguments(message)]).toEqual([["bad", argumentsRaw]]);
    for (const block of message.content) {
      expect(block).toMatchObject({ type: "toolCall", arguments: expect.any(Object) });
      expect(Array.isArray((block as any).arguments)).toBe(false);
    }
    expect(message.content[1]).toMatchObject({ id: "good", arguments: { command: "ok" } });
  });

  test("a call without any arguments text is a call without arguments", async () => {
    const [, model] = await serve([{ toolCalls: [{ id: "c", name: "bash", argumentsRaw: "" }] }]);
    const { message } = await collect(provider, ask("hi", { model, tools: [bash] }));
    expect(message.content).toMatchObject([{ id: "c", arguments: {} }]);
    expect(invalidArguments(message).size).toBe(0);
  });

  test("a reply that is cut by its length says so", async () => {
    const [, model] = await serve([{ text: "half", stopReason: "length" }]);
    expect((await collect(provider, ask("hi", { model }))).message.stopReason).toBe("length");
  });

  test.each([
    [429, "rate limited, slow down", "transient"],
    [500, "internal server error", "transient"],
    [529, "overloaded", "transient"],
    [401, "invalid key", "final"],
    [400, "prompt is too long: 213462 tokens > 200000 maximum", "overflow"],
  ] as const)("status %i is an error with the provider's text, sent once", async (status, text, kind) => {
    const [{ requests }, model] = await serve([{ error: { status, message: text }, repeat: true }]);
    const { types, message } = await collect(provider, ask("hi", { model }));
    expect(types).toEqual(["error"]);
    expect(message.stopReason).toBe("error");
    expect(message.errorMessage).toContain(text);
    expect(message.errorMessage).toContain(String(status));
    expect(classifyFailure(message)).toBe(kind);
    expect(requests).toHaveLength(1);
  });

  test.each(["drop", "cut"] as const)(
    "a line with the fault %s is a transient error that keeps what came",
    async (fault) => {
      const [, model] = await serve([{ text: "some words that are not all heard at the end", fault }]);
      const { message, ended } = await collect(provider, ask("hi", { model }));
      expect(ended).toBe("error");
      expect(classifyFailure(message)).toBe("transient");
      expect("some words that are not all heard at the end".startsWith(said(message))).toBe(true);
      expect(said(message)).not.toBe("");
    },
  );

  test("garbage on the line is an error, not a throw", async () => {
    // One of the clients logs what it cannot read.
    vi.stubEnv("OPENAI_LOG", "off");
    const [, model] = await serve([{ text: "hello", fault: "garbage" }]);
    const { message, ended } = await collect(provider, ask("hi", { model }));
    expect(ended).toBe("error");
    expect(message.errorMessage).not.toBe("");
  });

  test("a refused connection is a transient error", async () => {
    const [loopback, model] = await serve([]);
    await loopback.close();
    server = undefined;
    const { message, types } = await collect(provider, ask("hi", { model }));
    expect(types).toEqual(["error"]);
    expect(classifyFailure(message)).toBe("transient");
    expect(message.errorMessage).toContain(`${model.baseUrl} could not be reached`);
  });

  test("an abort in the middle keeps what had arrived and hangs up", async () => {
    const [{ requests }, model] = await serve([{ text: "this goes on for a while", fault: "stall" }]);
    const controller = new AbortController();
    let last: any;
    for await (const event of provider.stream(ask("hi", { model }), { signal: controller.signal })) {
      if (event.type === "text_delta") controller.abort();
      last = event;
    }
    expect(last).toMatchObject({ type: "error", reason: "aborted", error: { stopReason: "aborted" } });
    expect("this goes on for a while".startsWith(said(last.error))).toBe(true);
    expect(said(last.error)).not.toBe("");
    await requests[0]?.closed;
  });

  test("an abort before the answer ends the request", async () => {
    const [{ requests }, model] = await serve([{ fault: "hang" }]);
    const controller = new AbortController();
    const running = collect(provider, ask("hi", { model }), {
      signal: controller.signal,
      onWire: () => void setImmediate(() => controller.abort()),
    });
    expect((await running).message).toMatchObject({ stopReason: "aborted", content: [] });
    await requests[0]?.closed;
  });

  test("a signal that is aborted already sends nothing", async () => {
    const [{ requests }, model] = await serve([{ text: "no" }]);
    const { message } = await collect(provider, ask("hi", { model }), { signal: AbortSignal.abort() });
    expect(message.stopReason).toBe("aborted");
    expect(requests).toHaveLength(0);
  });

  test("onWire gets the provider's own body, and its result is sent", async () => {
    const [{ requests }, model] = await serve([{ text: "ok" }, { text: "ok" }]);
    const seen: any[] = [];
    const replaced: ProviderCall = {
      onWire: async (body) => {
        seen.push(structuredClone(body));
        return { ...(body as object), metadata: { user_id: "u1" }, model: "other-model" };
      },
    };
    await collect(provider, ask("hi", { model, tools: [bash] }), replaced);
    await collect(provider, ask("hi", { model, tools: [bash] }), { onWire: () => undefined });
    expect(seen).toMatchObject([{ model: "test-1", stream: true, tools: [expect.anything()] }]);
    expect(requests[0]?.body).toMatchObject({ model: "other-model", metadata: { user_id: "u1" } });
    expect(requests[1]?.body).toMatchObject({ model: "test-1", stream: true });
    expect(requests[0]?.path.split("?")[0]).toBe(endpoint);
  });

  test("a throwing onWire fails the request before it is sent", async () => {
    const [{ requests }, model] = await serve([{ text: "no" }]);
    const onWire = () => {
      throw new Error("the hook refused");
    };
    const { message } = await collect(provider, ask("hi", { model }), { onWire });
    expect(message.errorMessage).toContain("the hook refused");
    expect(requests).toHaveLength(0);
  });

  test("onHeaders gets the model's headers; its result is sent, and null removes one", async () => {
    const [{ requests }, model] = await serve([{ text: "ok" }], { headers: { "x-team": "a", "x-old": "1" } });
    const seen: unknown[] = [];
    await collect(provider, ask("hi", { model }), {
      apiKey: "k-1",
      onHeaders: (headers) => {
        seen.push({ ...headers });
        const { "x-old": _, ...rest } = headers;
        return { ...rest, "x-team": "b", "x-new": "2", [keyHeader]: null, "user-agent": "mine/1" };
      },
    });
    expect(seen).toEqual([{ "User-Agent": `hookline/${VERSION}`, "x-team": "a", "x-old": "1" }]);
    const sent = requests[0]?.headers ?? {};
    expect(sent).toMatchObject({ "x-team": "b", "x-new": "2", "user-agent": "mine/1" });
    expect(sent["x-old"]).toBeUndefined();
    expect(sent[keyHeader]).toBeUndefined();
  });

  test("the key is sent, and a server on this machine needs none", async () => {
    const [{ requests }, model] = await serve([{ text: "ok", repeat: true }]);
    expect((await collect(provider, ask("hi", { model }), { apiKey: "k-1" })).ended).toBe("done");
    expect((await collect(provider, ask("hi", { model }))).ended).toBe("done");
    expect(requests[0]?.headers[keyHeader]).toBe(key);
    expect(requests[0]?.headers["user-agent"]).toBe(`hookline/${VERSION}`);
  });

  test("another machine without a key is an error before anything is sent", async () => {
    const model = testModel({ api, baseUrl: "https://models.invalid/v1" });
    const { types, message } = await collect(provider, ask("hi", { model }));
    expect(types).toEqual(["error"]);
    expect(message.errorMessage).toContain("No API key for provider: test");
  });

  test("onResponse sees status and headers before the stream", async () => {
    const [, model] = await serve([{ text: "ok", headers: { "x-ratelimit-remaining": "7" } }]);
    const order: string[] = [];
    for await (const event of provider.stream(ask("hi", { model }), {
      onResponse: ({ status, headers }) => void order.push(`${status} ${headers["x-ratelimit-remaining"]}`),
    })) {
      order.push(event.type);
    }
    expect(order.slice(0, 2)).toEqual(["200 7", "start"]);
  });

  test("the conversation goes out with its system prompt, calls and results", async () => {
    const [{ requests }, model] = await serve([
      { toolCalls: [{ id: "call_a", name: "bash", arguments: { command: "ls" } }] },
      { text: "done" },
    ]);
    const first = await collect(provider, ask("list", { model, tools: [bash] }));
    const result = {
      role: "toolResult" as const,
      toolCallId: "call_a",
      toolName: "bash",
      content: [{ type: "text" as const, text: "a.txt" }],
      isError: false,
      timestamp: 2,
    };
    await collect(provider, ask([user("list"), first.message, result], { model, tools: [bash] }));
    const body = JSON.stringify(requests[1]?.body);
    for (const part of ["You are a test.", "list", "call_a", "ls", "a.txt"]) expect(body).toContain(part);
  });
});

describe.each([
  { api: "openai-responses", path: "/v1", endpoint: /^\/v1\/responses$/ },
  { api: "google-generative-ai", path: "/v1beta", endpoint: /^\/v1beta\/models\/test-1:streamGenerateContent/ },
])("over $api", ({ api, path, endpoint }) => {
  const serve = async (script: LoopbackScript): Promise<[Loopback, Model]> => {
    server = await startLoopback(script);
    return [server, testModel({ api, baseUrl: server.url + path, headers: { "x-team": "a" }, reasoning: true })];
  };

  test("thinking, text, calls and usage arrive, and hooks can change the request", async () => {
    const usage = { input: 900, output: 30, cacheRead: 100 };
    const toolCalls = [{ id: "call_a", name: "bash", arguments: { command: "ls" } }];
    const [{ requests }, model] = await serve([{ thinking: "Let me think.", text: "I will look.", toolCalls, usage }]);
    const { message, types } = await collect(provider, ask("hi", { model, tools: [bash], thinking: "low" }), {
      onHeaders: (headers) => ({ ...headers, "x-new": "1" }),
      onWire: (body) => ({ ...(body as object), marked: true }),
    });
    expect(types.slice(0, 2)).toEqual(["start", "thinking_start"]);
    expect(message.stopReason).toBe("toolUse");
    expect(message.content).toMatchObject([
      { type: "thinking", thinking: "Let me think." },
      { type: "text", text: "I will look." },
      { type: "toolCall", id: expect.stringMatching(/^call_a/), name: "bash", arguments: { command: "ls" } },
    ]);
    expect(message.usage).toMatchObject({ input: 900, output: 30, cacheRead: 100 });
    expect(invalidArguments(message).size).toBe(0);
    expect(requests[0]?.path).toMatch(endpoint);
    expect(requests[0]?.headers).toMatchObject({ "x-team": "a", "x-new": "1", "user-agent": `hookline/${VERSION}` });
  });

  test("a failed request is an error that is sent once", async () => {
    const [{ requests }, model] = await serve([{ error: { status: 503, message: "overloaded" }, repeat: true }]);
    const { message } = await collect(provider, ask("hi", { model }));
    expect(classifyFailure(message)).toBe("transient");
    expect(message.errorMessage).toContain("overloaded");
    expect(requests).toHaveLength(1);
  });

  test("an abort in the middle keeps what had arrived", async () => {
    const [, model] = await serve([{ text: "this goes on for a while", fault: "stall" }]);
    const controller = new AbortController();
    let last: any;
    for await (const event of provider.stream(ask("hi", { model }), { signal: controller.signal })) {
      if (event.type === "text_delta") controller.abort();
      last = event;
    }
    expect(last).toMatchObject({ type: "error", reason: "aborted" });
    expect(said(last.error)).not.toBe("");
  });
});

test("the responses protocol keeps the exact text of broken arguments too", async () => {
  const argumentsRaw = '{"command": "rm -rf bui';
  server = await startLoopback([{ toolCalls: [{ id: "bad", name: "bash", argumentsRaw }] }]);
  const model = testModel({ api: "openai-responses", baseUrl: `${server.url}/v1` });
  const { message } = await collect(provider, ask("hi", { model, tools: [bash] }));
  expect([...invalidArguments(message)]).toEqual([["bad|fc_0", argumentsRaw]]);
});

test("neutral keys without a field go into the body of chat completions", async () => {
  server = await startLoopback([{ text: "ok" }]);
  const model = testModel({ baseUrl: `${server.url}/v1` });
  await collect(provider, ask("hi", { model, temperature: 0.25, maxTokens: 77, extra: { top_k: 5, seed: 1 } }));
  expect(server.requests[0]?.body).toMatchObject({ temperature: 0.25, max_completion_tokens: 77, top_k: 5, seed: 1 });
});

test.each(APIS)("the client for %s exists", async (api) => {
  expect(await loadApi(api)).toMatchObject({ streamSimple: expect.any(Function) });
});

test("an unknown api is an error with the nearest name", async () => {
  const { message } = await collect(provider, ask("hi", { model: testModel({ api: "openai-completion" }) }));
  expect(message.errorMessage).toBe(
    'The api "openai-completion" of model test/test-1 is not known. Did you mean "openai-completions"?',
  );
});
