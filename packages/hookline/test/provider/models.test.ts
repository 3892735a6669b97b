import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HooklineError } from "@hookline/runtime";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { catalogue } from "../../src/provider/compose.ts";
import { KNOWN } from "../../src/provider/known.ts";
import { lookUp } from "../../src/provider/lookup.ts";
import { type ModelFlags, openModels } from "../../src/provider/models.ts";
import { APIS } from "../../src/provider/pi-ai.ts";
import { startLoopback } from "../support/loopback.ts";
import { ask, collect, said } from "./collect.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "hookline-home-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

interface Setting {
  readonly flags?: ModelFlags;
  readonly env?: Readonly<Record<string, string>>;
  readonly file?: object;
}

async function open({ flags = {}, env = {}, file }: Setting) {
  if (file !== undefined) await writeFile(join(home, "models.json"), JSON.stringify(file, undefined, 2));
  return openModels({ flags, env, home });
}

async function refusal(setting: Setting): Promise<{ message: string; hint: string }> {
  const thrown: unknown = await open(setting).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!HooklineError.isInstance(thrown)) throw new Error(`not refused: ${String(thrown)}`);
  return { message: thrown.message.replaceAll(home, "HOME"), hint: thrown.hint.replaceAll(home, "HOME") };
}

const local = {
  baseUrl: "http://localhost:11434/v1",
  api: "openai-completions",
  models: [{ id: "qwen2.5-coder:7b" }, { id: "llama3", contextWindow: 8000, reasoning: true }],
};
const remote = { baseUrl: "https://llm.example.com/v1", api: "openai-completions", models: [{ id: "big" }] };

describe("the model that is chosen", () => {
  const cases: readonly (readonly [string, Setting, object])[] = [
    [
      "a key alone chooses the usual model of its provider",
      { env: { ANTHROPIC_API_KEY: "k" } },
      { provider: "anthropic", id: KNOWN["anthropic"]?.model, api: "anthropic-messages" },
    ],
    [
      "of several keys the first in the table counts",
      { env: { GROQ_API_KEY: "k", OPENAI_API_KEY: "k" } },
      { provider: "openai", api: "openai-responses", baseUrl: "https://api.openai.com/v1" },
    ],
    ["an empty key is no key", { env: { ANTHROPIC_API_KEY: "", GEMINI_API_KEY: "k" } }, { provider: "google" }],
    [
      "a model of models.json comes before the keys",
      { env: { ANTHROPIC_API_KEY: "k" }, file: { providers: { ollama: local } } },
      { provider: "ollama", id: "qwen2.5-coder:7b", contextWindow: 128_000, maxTokens: 16_384, reasoning: false },
    ],
    [
      "a provider of models.json without a usable key is passed over",
      { env: { ANTHROPIC_API_KEY: "k" }, file: { providers: { far: { ...remote, apiKey: "FAR_API_KEY" } } } },
      { provider: "anthropic" },
    ],
    [
      "PROVIDER/ID is looked up in the catalogue",
      { flags: { model: "openai/gpt-4o" }, env: { OPENAI_API_KEY: "k" } },
      { provider: "openai", id: "gpt-4o", contextWindow: 128_000 },
    ],
    [
      "an id may have slashes of its own",
      { flags: { model: "openrouter/moonshotai/kimi-k2.6" }, env: { OPENROUTER_API_KEY: "k" } },
      { provider: "openrouter", id: "moonshotai/kimi-k2.6" },
    ],
    [
      "upper and lower case do not matter",
      { flags: { model: "OpenAI/GPT-4o" }, env: { OPENAI_API_KEY: "k" } },
      { provider: "openai", id: "gpt-4o" },
    ],
    [
      "an id alone is found where there is a key",
      { flags: { model: "openai/gpt-oss-120b" }, env: { GROQ_API_KEY: "k" } },
      { provider: "groq", id: "openai/gpt-oss-120b" },
    ],
    [
      "an id alone is found in models.json",
      { flags: { model: "llama3" }, env: { OPENAI_API_KEY: "k" }, file: { providers: { ollama: local } } },
      { provider: "ollama", id: "llama3", contextWindow: 8000, reasoning: true },
    ],
    [
      "a provider without a list has any model",
      { flags: { model: "vllm/anything" }, file: { providers: { vllm: { ...local, models: [] } } } },
      { provider: "vllm", id: "anything", baseUrl: local.baseUrl },
    ],
    [
      "models.json may move a known provider",
      {
        flags: { model: "openai/gpt-4o" },
        env: { OPENAI_API_KEY: "k" },
        file: { providers: { openai: { baseUrl: "http://127.0.0.1:4000/v1" } } },
      },
      { provider: "openai", id: "gpt-4o", baseUrl: "http://127.0.0.1:4000/v1" },
    ],
    [
      "modelOverrides change a single model",
      {
        flags: { model: "openai/gpt-4o" },
        env: { OPENAI_API_KEY: "k" },
        file: { providers: { openai: { modelOverrides: { "gpt-4o": { contextWindow: 5, cost: { input: 9 } } } } } },
      },
      { contextWindow: 5, cost: { input: 9, output: 10 } },
    ],
    [
      "a server on this machine needs no key",
      { flags: { baseUrl: "http://127.0.0.1:8080/v1/" } },
      { provider: "custom", id: "default", api: "openai-completions", baseUrl: "http://127.0.0.1:8080/v1" },
    ],
    [
      "--model names the model of --base-url",
      { flags: { baseUrl: "http://[::1]:8080/v1", model: "org/qwen" } },
      { provider: "custom", id: "org/qwen" },
    ],
    [
      "--api says how it is talked to, and its version is not doubled",
      { flags: { baseUrl: "http://localhost:1/v1", model: "m", api: "anthropic-messages" } },
      { api: "anthropic-messages", baseUrl: "http://localhost:1" },
    ],
    [
      "a known provider lends its protocol and what is known of the model",
      { flags: { baseUrl: "http://127.0.0.1:1", model: "anthropic/claude-opus-4-8" } },
      { provider: "anthropic", id: "claude-opus-4-8", api: "anthropic-messages", reasoning: true },
    ],
    [
      "a server in the manner of OpenAI's is asked for completions",
      { flags: { baseUrl: "http://127.0.0.1:1/v1", model: "openai/gpt-4o" } },
      { provider: "openai", id: "gpt-4o", api: "openai-completions", baseUrl: "http://127.0.0.1:1/v1" },
    ],
    [
      "--api has the last word",
      { flags: { baseUrl: "http://127.0.0.1:1/v1", model: "openai/gpt-4o", api: "openai-responses" } },
      { provider: "openai", api: "openai-responses" },
    ],
    [
      "another machine is asked with the key for it",
      { flags: { baseUrl: "https://llm.example.com/v1", model: "m" }, env: { HOOKLINE_API_KEY: "k" } },
      { provider: "custom", baseUrl: "https://llm.example.com/v1" },
    ],
  ];
  test.each(cases)("%s", async (_name, setting, expected) => {
    const { model, registry } = await open(setting);
    expect(model).toMatchObject(expected);
    expect(registry.find(model.provider, model.id) ?? model).toEqual(model);
    expect(lookUp(`${model.provider}/${model.id}`, registry)).toEqual(model);
    expect(registry.diagnostics).toEqual([]);
  });
});

describe("no model is available", () => {
  const ways =
    "Set the key of a provider, such as ANTHROPIC_API_KEY or OPENAI_API_KEY; or add a provider to HOME/models.json; " +
    "or pass --base-url URL for a server of your own, or --script FILE for scripted replies.";

  test("without any configuration, the error names the three ways", async () => {
    expect(await refusal({})).toEqual({
      message:
        "No model can be used: no provider's key is set, models.json adds none, and neither --base-url nor --script is given",
      hint: ways,
    });
  });

  const cases: readonly (readonly [string, Setting, string | RegExp, string | RegExp])[] = [
    [
      "a model without a key says which variable",
      { flags: { model: "openai/gpt-4o" } },
      '--model names openai/gpt-4o, which cannot be asked. There is no key for provider "openai": set OPENAI_API_KEY, or give it an "apiKey" in models.json',
      ways,
    ],
    [
      "an id that no provider has gets the nearest names",
      { flags: { model: "gtp-4o" }, env: { OPENAI_API_KEY: "k" } },
      '--model names "gtp-4o", which no provider has',
      /^Did you mean openai\/gpt-4o( or [\w./-]+)*\? /,
    ],
    [
      "an id of a provider whose entry cannot be used",
      { flags: { model: "own/m" }, file: { providers: { own: { baseUrl: 3, api: "x", models: [{ id: "m" }] } } } },
      '--model names "own/m", which no provider has, and models.json cannot be used (HOME/models.json:4: "baseUrl" must be text, not the number 3)',
      /^Put it in quotes\. Other models can be added/,
    ],
    [
      "an id that the named provider does not have",
      { flags: { model: "anthropic/claude-opus-48" }, env: { ANTHROPIC_API_KEY: "k" } },
      '--model names "anthropic/claude-opus-48", which provider "anthropic" does not have',
      /^Did you mean anthropic\/claude-opus-4-8.*\? Other models can be added to HOME\/models\.json\.$/,
    ],
    [
      "--api without a server",
      { flags: { api: "openai-completions" }, env: { OPENAI_API_KEY: "k" } },
      "--api has an effect only with --base-url",
      "Add --base-url URL.",
    ],
    [
      "an api that is not known",
      { flags: { baseUrl: "http://localhost:1", api: "openai-complete" } },
      '--api names "openai-complete", which is not known',
      'Did you mean "openai-completions"?',
    ],
    [
      "a base URL that is none",
      { flags: { baseUrl: "localhost:8080" } },
      "--base-url is not the URL of a server: localhost:8080",
      /^Give it as http/,
    ],
    [
      "another machine without a key",
      { flags: { baseUrl: "https://llm.example.com/v1", model: "m" }, env: { OPENAI_API_KEY: "k" } },
      "--base-url points to another machine, llm.example.com, and there is no key for it",
      "Set HOOKLINE_API_KEY, or name the provider whose key is meant: --model PROVIDER/m.",
    ],
  ];
  test.each(cases)("%s", async (_name, setting, message, hint) => {
    const found = await refusal(setting);
    if (typeof message === "string") expect(found.message).toBe(message);
    else expect(found.message).toMatch(message);
    if (typeof hint === "string") expect(found.hint).toBe(hint);
    else expect(found.hint).toMatch(hint);
  });

  test("a key is never sent to the server of a provider that was not named", async () => {
    const server = await startLoopback([{ text: "ok" }]);
    const { model, registry } = await open({
      flags: { baseUrl: `${server.url}/v1`, model: "m" },
      env: { OPENAI_API_KEY: "secret", ANTHROPIC_API_KEY: "secret" },
    });
    await collect(registry.provider, ask("hi", { model }));
    await server.close();
    expect(JSON.stringify(server.requests[0]?.headers)).not.toContain("secret");
  });
});

describe("the scripted model", () => {
  test("--script needs no key and answers through the registry's provider", async () => {
    const script = join(home, "demo.yaml");
    await writeFile(script, "replies:\n  - text: hello\n");
    const { model, registry } = await open({ flags: { script } });
    expect(model).toMatchObject({ provider: "script", id: "script", api: "script" });
    expect(registry.getAvailable()[0]).toEqual(model);
    expect(lookUp("script/script", registry)).toEqual(model);
    expect(said((await collect(registry.provider, ask("hi", { model }))).message)).toBe("hello");
    const { message } = await collect(registry.provider, ask("hi", { model }));
    expect(message.errorMessage).toContain("The script demo.yaml has no reply left for request 2");
  });

  test("--model names it", async () => {
    const script = join(home, "demo.json");
    await writeFile(script, '{"replies": []}');
    const { model } = await open({ flags: { script, model: "anthropic/claude-x" } });
    expect(model).toMatchObject({ provider: "anthropic", id: "claude-x", api: "script" });
  });

  test("a broken script is refused before anything runs", async () => {
    const script = join(home, "demo.yaml");
    await writeFile(script, "replis: []\n");
    expect(await refusal({ flags: { script } })).toEqual({
      message: 'HOME/demo.yaml:1: unknown key "replis"',
      hint: 'Did you mean "replies"?',
    });
  });
});

describe("what is known about providers", () => {
  test.each(Object.entries(KNOWN))(
    "%s has a catalogue with its usual model, and a client for every api",
    (name, known) => {
      const models = catalogue(name);
      expect(models.map((model) => model.id)).toContain(known.model);
      expect(APIS).toContain(known.api);
      for (const model of models) {
        expect(APIS).toContain(model.api);
        expect(model).toMatchObject({ provider: name, name: expect.any(String), contextWindow: expect.any(Number) });
      }
    },
  );

  test("a name that is not known has no catalogue", () => {
    expect(catalogue("../anthropic")).toEqual([]);
    expect(catalogue("constructor")).toEqual([]);
  });
});
