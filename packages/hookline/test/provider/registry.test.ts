import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AssistantMessage } from "@hookline/runtime/engine";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { emptyMessage } from "../../src/provider/message.ts";
import { readModelsFile } from "../../src/provider/models-file.ts";
import { invalidArguments, type Model } from "../../src/provider/provider.ts";
import { ModelRegistry } from "../../src/provider/registry.ts";
import { type Loopback, startLoopback } from "../support/loopback.ts";
import { ask, collect, said, testModel, user } from "./collect.ts";

let home: string;
let server: Loopback | undefined;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "hookline-home-"));
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  await rm(home, { recursive: true, force: true });
});

async function registryOf(providers: object = {}, env: Record<string, string> = {}) {
  const path = join(home, "models.json");
  await writeFile(path, JSON.stringify({ providers }));
  return new ModelRegistry({ env, file: await readModelsFile(path) });
}

function found(registry: ModelRegistry, provider: string, id: string): Model {
  const model = registry.find(provider, id);
  if (model === undefined) throw new Error(`${provider}/${id} is not there`);
  return model;
}

const definition = {
  id: "m1",
  name: "M 1",
  reasoning: false,
  input: ["text" as const],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1000,
  maxTokens: 100,
};

/** A client as an extension writes it: pi's events, its own protocol. */
function client(
  seen: any[],
  content: AssistantMessage["content"] = [{ type: "text", text: "from the extension" }],
  raw?: string,
) {
  return async function* (model: any, context: any, options: any): AsyncGenerator<any> {
    seen.push({ model, context, options });
    const message = { ...emptyMessage(testModel()), content, stopReason: "stop" };
    yield { type: "start", partial: message };
    if (raw !== undefined) {
      yield { type: "toolcall_start", contentIndex: 0, partial: message };
      yield { type: "toolcall_delta", contentIndex: 0, delta: raw, partial: message };
      yield { type: "toolcall_end", contentIndex: 0, toolCall: content[0], partial: message };
    }
    yield { type: "done", reason: "stop", message };
  };
}

describe("finding models", () => {
  test("catalogue models are found at once, unknown names are not", async () => {
    const registry = await registryOf();
    expect(registry.find("google", "gemini-2.5-flash")).toMatchObject({ api: "google-generative-ai", reasoning: true });
    expect(registry.find("google", "nope")).toBeUndefined();
    expect(registry.find("nobody", "nope")).toBeUndefined();
    expect(registry.find("__proto__", "nope")).toBeUndefined();
  });

  test("all models are those of every provider, available ones have a key or need none", async () => {
    const local = { baseUrl: "http://localhost:1/v1", api: "openai-completions", models: [{ id: "a" }] };
    const far = { ...local, baseUrl: "https://far.example/v1" };
    const providers = { local, far: { ...far, apiKey: "$FAR" }, cmd: { ...far, apiKey: "!echo k" }, bare: far };
    const registry = await registryOf(providers, { GROQ_API_KEY: "k" });
    const names = (models: readonly Model[]) => [...new Set(models.map((model) => model.provider))];
    expect(names(registry.getAll())).toEqual(
      expect.arrayContaining(["local", "far", "cmd", "bare", "anthropic", "groq"]),
    );
    expect(names(registry.getAvailable())).toEqual(["local", "cmd", "groq"]);
    expect(registry.hasConfiguredAuth(found(registry, "openai", "gpt-4o"))).toBe(false);
    expect(registry.getProviderDisplayName("groq")).toBe("Groq");
    expect(registry.getProviderDisplayName("local")).toBe("local");
  });

  test("models of the file are added to known ones or replace them", async () => {
    const models = [{ id: "gpt-4o", contextWindow: 7 }, { id: "gpt-9" }];
    const registry = await registryOf({ openai: { models, headers: { "x-a": "1" } } });
    expect(found(registry, "openai", "gpt-4o")).toMatchObject({ contextWindow: 7, api: "openai-responses" });
    expect(found(registry, "openai", "gpt-9")).toMatchObject({ baseUrl: "https://api.openai.com/v1" });
    expect(registry.find("openai", "gpt-4.1")).toBeDefined();
  });

  test("refresh reads the file again", async () => {
    const registry = await registryOf();
    const added = { new: { baseUrl: "http://localhost:1/v1", api: "openai-completions", models: [{ id: "a" }] } };
    await writeFile(join(home, "models.json"), JSON.stringify({ providers: added, extra: 1 }));
    await registry.refresh();
    expect(registry.find("new", "a")).toBeDefined();
    expect(registry.getError()).toContain('unknown key "extra"');
  });
});

describe("keys and headers", () => {
  test("they go out with each request as the file says", async () => {
    server = await startLoopback([{ text: "hello", repeat: true }]);
    const registry = await registryOf(
      {
        mine: {
          baseUrl: `${server.url}/v1`,
          api: "openai-completions",
          apiKey: "!printf from-%s command",
          headers: { "x-team": "$TEAM", "x-lit": "5 $$" },
          models: [{ id: "m", headers: { "x-model": "own" } }],
        },
        claude: {
          baseUrl: server.url,
          api: "anthropic-messages",
          apiKey: "MY_CLAUDE_KEY",
          authHeader: true,
          models: [{ id: "c" }],
        },
      },
      { TEAM: "red", MY_CLAUDE_KEY: "k-2", PATH: process.env["PATH"] ?? "" },
    );
    const model = found(registry, "mine", "m");
    expect(said((await collect(registry.provider, ask("hi", { model }))).message)).toBe("hello");
    await collect(registry.provider, ask("hi", { model: found(registry, "claude", "c") }));
    await collect(registry.provider, ask("hi", { model }), { apiKey: "given" });
    expect(server.requests.map((request) => request.headers)).toMatchObject([
      { authorization: "Bearer from-command", "x-team": "red", "x-lit": "5 $", "x-model": "own" },
      { "x-api-key": "k-2", authorization: "Bearer k-2" },
      { authorization: "Bearer given", "x-team": "red" },
    ]);
    expect(await registry.getApiKey(model)).toBe("from-command");
    expect(await registry.getApiKeyForProvider("claude")).toBe("k-2");
    expect(await registry.getApiKeyAndHeaders(model)).toMatchObject({ ok: true, apiKey: "from-command" });
  });

  test("what is missing is reported before anything is sent", async () => {
    const far = { baseUrl: "https://far.invalid/v1", api: "openai-completions", models: [{ id: "m" }] };
    const registry = await registryOf({
      unset: { ...far, apiKey: "$FAR_KEY" },
      none: far,
      header: { ...far, apiKey: "k", headers: { "x-a": "$NOT_THERE" } },
    });
    const errors: Record<string, string | undefined> = {};
    for (const name of ["unset", "none", "header"]) {
      const { message } = await collect(registry.provider, ask("hi", { model: found(registry, name, "m") }));
      errors[name] = message.errorMessage;
    }
    const { message } = await collect(registry.provider, ask("hi", { model: found(registry, "openai", "gpt-4o") }));
    expect({ ...errors, openai: message.errorMessage }).toEqual({
      unset:
        'The key of provider "unset" cannot be resolved: FAR_KEY is not set. Set it, or correct "apiKey" where the provider is defined.',
      none: 'There is no key for provider "none": give it an "apiKey" in models.json.',
      header: 'The header "x-a" of provider "header" has no value: NOT_THERE is not set. Correct it in models.json.',
      openai: 'There is no key for provider "openai": set OPENAI_API_KEY, or give it an "apiKey" in models.json.',
    });
    expect(await registry.getApiKey(found(registry, "none", "m"))).toBeUndefined();
    expect(await registry.getApiKeyAndHeaders(found(registry, "none", "m"))).toMatchObject({ ok: false });
  });

  test("a server on this machine is asked without the key that is missing", async () => {
    server = await startLoopback([{ text: "hello" }]);
    const registry = await registryOf({
      mine: { baseUrl: `${server.url}/v1`, api: "openai-completions", apiKey: "$UNSET_KEY", models: [{ id: "m" }] },
    });
    const { ended } = await collect(registry.provider, ask("hi", { model: found(registry, "mine", "m") }));
    expect(ended).toBe("done");
  });
});

describe("providers of extensions", () => {
  test("a provider with its own client is asked in pi's shape", async () => {
    const seen: any[] = [];
    const registry = await registryOf();
    registry.registerProvider("ext", {
      baseUrl: "https://ext.invalid",
      api: "ext-api",
      apiKey: "EXT_KEY_literal",
      models: [definition],
      streamSimple: client(seen),
    });
    const model = found(registry, "ext", "m1");
    expect(model).toMatchObject({
      provider: "ext",
      api: "ext-api",
      baseUrl: "https://ext.invalid",
      contextWindow: 1000,
    });
    expect(registry.getAvailable()).toContainEqual(model);
    const tools = [{ name: "t", description: "", parameters: { type: "object" as const } }];
    const { message } = await collect(registry.provider, ask("hi", { model, tools }));
    expect(said(message)).toBe("from the extension");
    expect(seen[0].options).toMatchObject({ apiKey: "EXT_KEY_literal", maxRetries: 0 });
    // Older extensions read `systemPrompt` and `tools`, newer ones the system message.
    expect(seen[0].context).toMatchObject({ systemPrompt: "You are a test.", tools });
    expect(seen[0].context.messages).toMatchObject([
      { role: "system", content: "You are a test.", toolsAdded: tools },
      { role: "user", content: "hi" },
    ]);
  });

  test("broken arguments are found in its stream as well", async () => {
    const registry = await registryOf();
    const call = { type: "toolCall" as const, id: "c1", name: "bash", arguments: { command: "rm" } };
    registry.registerProvider("ext", {
      baseUrl: "http://localhost",
      api: "ext-api",
      models: [definition],
      streamSimple: client([], [call], '{"command": "rm'),
    });
    const { message } = await collect(registry.provider, ask("hi", { model: found(registry, "ext", "m1") }));
    expect([...invalidArguments(message)]).toEqual([["c1", '{"command": "rm']]);
  });

  test("a client that throws is an error of the request", async () => {
    const registry = await registryOf();
    registry.registerProvider("ext", {
      baseUrl: "http://localhost",
      api: "ext-api",
      models: [definition],
      streamSimple: () => {
        throw new Error("not signed in");
      },
    });
    const { message } = await collect(registry.provider, ask("hi", { model: found(registry, "ext", "m1") }));
    expect(message).toMatchObject({ stopReason: "error", errorMessage: "not signed in" });
  });

  test("a registration replaces the models of a known provider, and removing it restores them", async () => {
    const registry = await registryOf();
    registry.registerProvider("openai", { baseUrl: "http://127.0.0.1:4000/v1" });
    expect(found(registry, "openai", "gpt-4o").baseUrl).toBe("http://127.0.0.1:4000/v1");
    registry.registerProvider("openai", { models: [definition], api: "openai-completions" });
    expect(registry.find("openai", "gpt-4o")).toBeUndefined();
    expect(found(registry, "openai", "m1").api).toBe("openai-completions");
    expect(registry.getRegisteredProviderIds()).toEqual(["openai"]);
    expect(registry.getRegisteredProviderConfig("openai")).toMatchObject({ api: "openai-completions" });
    registry.unregisterProvider("openai");
    expect(found(registry, "openai", "gpt-4o").baseUrl).toBe("https://api.openai.com/v1");
    expect(registry.find("openai", "m1")).toBeUndefined();
  });

  const refused: readonly (readonly [string, any, string])[] = [
    [
      "a client without an api",
      { streamSimple: client([]), baseUrl: "http://a", models: [definition] },
      '"api" is required when registering streamSimple.',
    ],
    ["a model without an api", { baseUrl: "http://a", models: [definition] }, 'model m1: no "api" specified'],
    [
      "a model without an address",
      { api: "x", models: [definition] },
      '"baseUrl" is required when defining custom models.',
    ],
    ["nothing", undefined, "Provider config is required when registering by name"],
  ];
  test.each(refused)("%s is refused and changes nothing", async (_name, config, text) => {
    const registry = await registryOf();
    expect(() => registry.registerProvider("ext", config)).toThrow(text);
    expect(registry.composed("ext")).toBeUndefined();
  });

  test("a provider object supplies its models, its key and its client", async () => {
    const seen: any[] = [];
    const models = [testModel({ id: "n1", provider: "native", api: "native-api", baseUrl: "https://native.invalid" })];
    const registry = await registryOf({}, { NATIVE_KEY: "k-9" });
    registry.registerProvider({
      id: "native",
      name: "Native",
      getModels: () => models,
      streamSimple: client(seen),
      auth: {
        apiKey: {
          resolve: async ({ ctx }) => ({
            auth: { apiKey: (await ctx.env("NATIVE_KEY")) ?? "", headers: { "x-n": "1" } },
          }),
        },
      },
    });
    expect(
      said((await collect(registry.provider, ask("hi", { model: found(registry, "native", "n1") }))).message),
    ).toBe("from the extension");
    expect(seen[0].options).toMatchObject({ apiKey: "k-9", headers: { "x-n": "1" } });
    models.push({ ...models[0]!, id: "n2" });
    expect(registry.find("native", "n2")).toBeDefined();
  });
});

describe("requests of extensions", () => {
  test("complete resolves to the reply, with the options of pi", async () => {
    server = await startLoopback([{ text: "a summary" }]);
    const registry = await registryOf({
      mine: { baseUrl: `${server.url}/v1`, api: "openai-completions", models: [{ id: "m" }] },
    });
    const reply = await registry.complete(
      found(registry, "mine", "m"),
      { systemPrompt: "Sum up.", messages: [user("long text")] },
      { apiKey: "k", maxTokens: 50, headers: { "x-h": "1" } },
    );
    expect(said(reply)).toBe("a summary");
    expect(server.requests[0]).toMatchObject({
      headers: { authorization: "Bearer k", "x-h": "1" },
      body: { max_completion_tokens: 50, messages: [{ content: "Sum up." }, { role: "user" }] },
    });
  });

  test("complete resolves to the failed message too", async () => {
    const registry = await registryOf();
    const reply = await registry.complete(testModel({ api: "nope" }), { messages: [user("hi")] });
    expect(reply).toMatchObject({ stopReason: "error" });
  });

  test("a stream can be read late and its result asked for first", async () => {
    server = await startLoopback([{ text: "one two three" }]);
    const registry = await registryOf({
      mine: { baseUrl: `${server.url}/v1`, api: "openai-completions", models: [{ id: "m" }] },
    });
    const stream = registry.streamSimple(found(registry, "mine", "m"), { messages: [user("hi")] });
    expect(said(await stream.result())).toBe("one two three");
    const types: string[] = [];
    for await (const event of stream) types.push(event.type);
    expect(types.at(0)).toBe("start");
    expect(types.at(-1)).toBe("done");
  });
});
