import type { ProviderStreams } from "@earendil-works/pi-ai";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { lackOf } from "../../src/provider/body-keys.ts";
import { createPiAiProvider } from "../../src/provider/pi-ai.ts";
import type { Provider } from "../../src/provider/provider.ts";
import { settled } from "../../src/provider/settle.ts";
import { streamThrough } from "../../src/provider/through.ts";
import { ask, collect, testModel } from "./collect.ts";
import { seen, serve } from "./http/loopback.ts";

beforeEach(() => {
  for (const name of ["AZURE_OPENAI_BASE_URL", "AZURE_OPENAI_RESOURCE_NAME", "HTTP_PROXY", "http_proxy", "AWS_PROFILE"])
    vi.stubEnv(name, undefined);
  vi.stubEnv("AWS_BEDROCK_FORCE_HTTP1", "1");
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const bash = {
  name: "bash",
  description: "Runs a command",
  parameters: { type: "object" as const, properties: { command: { type: "string" } } },
};

const named = { type: "function", function: { name: "bash" } };
const extra = { top_p: 0.5, stop: "HALT", tool_choice: named, x_custom: 7 };
const fields = { temperature: 0.2, maxTokens: 55, tools: [bash] };

/** Bedrock's client, which is not among those that the agent brings along; an extension may. */
const bedrock: Provider = {
  name: "bedrock",
  stream: (request, call) =>
    settled(
      async () => {
        const client = (await import("@earendil-works/pi-ai/api/bedrock-converse-stream")) as ProviderStreams;
        return streamThrough(client as never, request, call);
      },
      request.model,
      call.signal,
    ),
};

/** The body that a provider's real client sends, as a server gets it. */
async function sent(api: string, change: object): Promise<any> {
  const url = await serve((_, response) => {
    response.writeHead(400, { "content-type": "application/json" });
    response.end('{"error":{"message":"only recorded"},"message":"only recorded"}');
  });
  const model = testModel({ api, baseUrl: api.startsWith("openai") ? `${url}/v1` : url, id: "test-1" });
  const request = ask("hello", { model, ...fields, ...change });
  await collect(api.startsWith("bedrock") ? bedrock : createPiAiProvider(), request, { apiKey: "k-1" });
  expect(seen.length).toBe(1);
  return JSON.parse(seen[0]?.body ?? "");
}

/** The place, in each protocol's request, of the eight keys of ruling 48 and of an unknown one. */
const wires = [
  {
    api: "openai-completions",
    has: { ...extra, temperature: 0.2, max_completion_tokens: 55, model: "test-1" },
    auto: { tool_choice: "auto" },
    required: { tool_choice: "required" },
    none: { tool_choice: "none" },
  },
  {
    api: "openai-responses",
    has: {
      model: "test-1",
      temperature: 0.2,
      max_output_tokens: 55,
      top_p: 0.5,
      tool_choice: { type: "function", name: "bash" },
      x_custom: 7,
    },
    lacks: ["stop"],
    auto: { tool_choice: "auto" },
    required: { tool_choice: "required" },
    none: { tool_choice: "none" },
  },
  {
    api: "azure-openai-responses",
    has: {
      model: "test-1",
      temperature: 0.2,
      max_output_tokens: 55,
      top_p: 0.5,
      tool_choice: { type: "function", name: "bash" },
      x_custom: 7,
    },
    lacks: ["stop"],
    auto: { tool_choice: "auto" },
    required: { tool_choice: "required" },
    none: { tool_choice: "none" },
  },
  {
    api: "anthropic-messages",
    has: {
      model: "test-1",
      temperature: 0.2,
      max_tokens: 55,
      top_p: 0.5,
      stop_sequences: ["HALT"],
      tool_choice: { type: "tool", name: "bash" },
      x_custom: 7,
    },
    lacks: ["stop"],
    auto: { tool_choice: { type: "auto" } },
    required: { tool_choice: { type: "any" } },
    none: { tool_choice: { type: "none" } },
  },
  ...["google-generative-ai", "google-vertex"].map((api) => ({
    api,
    has: {
      generationConfig: { temperature: 0.2, maxOutputTokens: 55, topP: 0.5, stopSequences: ["HALT"] },
      toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["bash"] } },
      x_custom: 7,
    },
    lacks: ["stop", "top_p", "tool_choice"],
    auto: { toolConfig: { functionCallingConfig: { mode: "AUTO" } } },
    required: { toolConfig: { functionCallingConfig: { mode: "ANY" } } },
    none: { toolConfig: { functionCallingConfig: { mode: "NONE" } } },
  })),
  {
    api: "mistral-conversations",
    has: {
      model: "test-1",
      temperature: 0.2,
      max_tokens: 55,
      top_p: 0.5,
      stop: ["HALT"],
      tool_choice: named,
      x_custom: 7,
    },
    auto: { tool_choice: "auto" },
    required: { tool_choice: "required" },
    none: { tool_choice: "none" },
  },
  {
    api: "bedrock-converse-stream",
    has: {
      inferenceConfig: { temperature: 0.2, maxTokens: 55, topP: 0.5, stopSequences: ["HALT"] },
      toolConfig: { toolChoice: { tool: { name: "bash" } } },
      additionalModelRequestFields: { x_custom: 7 },
    },
    lacks: ["stop", "top_p", "tool_choice", "x_custom"],
    auto: { toolConfig: { toolChoice: { auto: {} } } },
    required: { toolConfig: { toolChoice: { any: {} } } },
    none: {},
  },
];

describe.each(wires)("$api", ({ api, has, lacks = [], auto, required, none }) => {
  test("takes every key where its own body has it [chibi.request.4]", async () => {
    const body = await sent(api, { extra });
    expect(body).toMatchObject(has);
    for (const key of lacks) expect(body).not.toHaveProperty(key);
    expect(JSON.stringify(body)).toContain("hello");
  });

  test("has its own values for whether a tool must be called", async () => {
    expect(await sent(api, { extra: { tool_choice: "auto" } })).toMatchObject(auto);
    seen.length = 0;
    expect(await sent(api, { extra: { tool_choice: "required" } })).toMatchObject(required);
    seen.length = 0;
    const body = await sent(api, { extra: { tool_choice: "none" } });
    expect(body).toMatchObject(none);
    if (api.startsWith("bedrock")) expect(body).not.toHaveProperty("toolConfig");
  });

  test("a list of stops is a list, and keys that were not set are not sent", async () => {
    const text = JSON.stringify(await sent(api, { extra: { stop: ["A", "B"] } }));
    expect(text.includes('["A","B"]')).toBe(!api.endsWith("responses"));
    expect(text).not.toMatch(/top_?p/i);
  });

  test("a key that is said to be lacking is not sent in chat's form, and one that is not lacking is sent", async () => {
    const asked = { api, thinks: false };
    const odd = { stop: 5, top_p: "much", tool_choice: { type: "allowed_tools" } };
    const body = await sent(api, { extra: odd });
    for (const [key, value] of Object.entries(odd))
      expect(lackOf(asked, key, value, false) === undefined, key).toBe(key in body);
    for (const [key, value] of Object.entries(extra)) {
      const lack = lackOf(asked, key, value, false);
      expect(lack?.sent ?? true, key).toBe(!(api.endsWith("responses") && key === "stop"));
    }
  });
});

test("what a client leaves out of the neutral request is said to be lacking", async () => {
  const [model, thinking] = [{ reasoning: true }, "high"];
  const url = await serve((_, response) => void response.writeHead(400).end("{}"));
  const asks = testModel({ api: "anthropic-messages", baseUrl: url, ...model });
  await collect(createPiAiProvider(), ask("hi", { model: asks, ...fields, thinking: thinking as "high" }), {
    apiKey: "k",
  });
  expect(JSON.parse(seen[0]?.body ?? "")).not.toHaveProperty("temperature");
  expect(lackOf({ api: "anthropic-messages", thinks: true }, "temperature", 0.2, true)).toMatchObject({ sent: false });
  expect(lackOf({ api: "anthropic-messages", thinks: false }, "temperature", 0.2, true)).toBeUndefined();
  const without = { api: "anthropic-messages", thinks: false, compat: { supportsTemperature: false } };
  expect(lackOf(without, "temperature", 0.2, true)).toMatchObject({ sent: false });
});

test("a limit below the responses API's minimum is raised, and that is reported", async () => {
  expect(await sent("openai-responses", { maxTokens: 5 })).toMatchObject({ max_output_tokens: 16 });
  expect(lackOf({ api: "openai-responses", thinks: false }, "max_tokens", 5, true)).toMatchObject({ sent: true });
});

test("messages that only chat completions can be sent are said to be lacking elsewhere", () => {
  const messages = [{ role: "user", name: "ann", content: "hi" }];
  expect(lackOf({ api: "openai-completions", thinks: false }, "messages", messages, false)).toBeUndefined();
  expect(lackOf({ api: "anthropic-messages", thinks: false }, "messages", messages, false)).toMatchObject({
    sent: false,
    because: expect.stringContaining("chat completions"),
  });
});

test("an extension's client for an api of its own gets the keys as sampling parameters", async () => {
  let given: unknown;
  const client = {
    streamSimple(_: unknown, __: unknown, options: any) {
      given = options.samplingParams;
      throw new Error("only recorded");
    },
  };
  const model = testModel({ api: "my-api" });
  await collect(
    {
      name: "own",
      stream: (request, call) => settled(async () => streamThrough(client, request, call), model, call.signal),
    },
    ask("hi", { model, extra, samplingParams: { top_k: 5 } }),
  );
  expect(given).toEqual({ top_k: 5, ...extra });
  expect(lackOf({ api: "my-api", thinks: false }, "stop", "x", false)).toMatchObject({ sent: true });
});
