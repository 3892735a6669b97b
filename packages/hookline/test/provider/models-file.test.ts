import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readModelsFile } from "../../src/provider/models-file.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "hookline-home-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

async function read(text: string) {
  const path = join(home, "models.json");
  await writeFile(path, text);
  const { providers, diagnostics } = await readModelsFile(path);
  return {
    names: [...providers.keys()],
    providers,
    found: diagnostics.map(
      ({ severity, message, hint }) => `${severity}: ${message.replace(`${home}/`, "")} | ${hint}`,
    ),
  };
}

const good = `"ollama": { "baseUrl": "http://localhost:11434/v1", "api": "openai-completions", "models": [{ "id": "a" }] }`;

test("a file that is not there has no providers and no problems", async () => {
  const file = await readModelsFile(join(home, "none.json"));
  expect(file).toMatchObject({ diagnostics: [] });
  expect(file.providers.size).toBe(0);
});

test("comments are allowed, and are text inside strings", async () => {
  const { names, found, providers } = await read(`{
  // my servers
  "providers": { /* one */ ${good.replace('"id": "a"', '"id": "a//b/*c*/"')} }
}`);
  expect(found).toEqual([]);
  expect(names).toEqual(["ollama"]);
  expect(providers.get("ollama")?.models?.[0]?.id).toBe("a//b/*c*/");
});

describe("errors are reported with their line, and the other providers still work", () => {
  const cases: readonly (readonly [string, string, readonly string[], readonly string[]])[] = [
    [
      "a misspelt key of a provider is ignored",
      `{ "providers": {\n${good},\n"x": { "baseURL": "http://a", "baseUrl": "http://b", "api": "openai-completions" } } }`,
      ['warning: models.json:3: unknown key "baseURL" | Did you mean "baseUrl"?'],
      ["ollama", "x"],
    ],
    [
      "a misspelt key that was needed costs the provider",
      `{ "providers": {\n${good},\n"x": { "baseUrI": "http://a", "api": "openai-completions" } } }`,
      [
        'warning: models.json:3: unknown key "baseUrI" | Did you mean "baseUrl"?',
        'error: models.json:3: provider "x" has no "baseUrl" | Add "baseUrl": "http://localhost:11434/v1".',
      ],
      ["ollama"],
    ],
    [
      "a misspelt key of a model",
      `{ "providers": { "openai": { "models": [\n{ "id": "a" },\n{ "id": "b",\n "contextWindw": 5 }] } } }`,
      ['warning: models.json:4: unknown key "contextWindw" | Did you mean "contextWindow"?'],
      ["openai"],
    ],
    [
      "a misspelt key at the top",
      `{\n"provider": {} }`,
      ['warning: models.json:2: unknown key "provider" | Did you mean "providers"?'],
      [],
    ],
    [
      "a model without an id",
      `{ "providers": {\n"openai": { "models": [{ "name": "a" }] },\n${good} } }`,
      ['error: models.json:2: entry 1 of "models" has no "id" | Add "id".'],
      ["ollama"],
    ],
    [
      "a value of the wrong kind",
      `{ "providers": {\n"openai": { "apiKey": 5 },\n${good} } }`,
      ['error: models.json:2: "apiKey" must be text, not the number 5 | Put it in quotes.'],
      ["ollama"],
    ],
    [
      "a model that says not how it is talked to",
      `{ "providers": {\n"x": { "baseUrl": "http://a",\n"models": [\n{ "id": "m" }] },\n${good} } }`,
      ['error: models.json:4: model "m" of provider "x" has no "api" | Add "api": "openai-completions".'],
      ["ollama"],
    ],
    [
      "a file that is no JSON",
      `{ "providers": {\n${good},\n} }`,
      ['error: models.json:3: there is a "," before "}" | Correct the line; other definitions are not affected.'],
      [],
    ],
    [
      "a file that is a list",
      "[]",
      ["error: models.json:1: the file must be a mapping, not a list | Correct the value."],
      [],
    ],
  ];
  test.each(cases)("%s", async (_name, text, problems, providers) => {
    const { found, names } = await read(text);
    expect(found).toEqual(problems);
    expect(names).toEqual(providers);
  });
});
