import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LentRegistry } from "../../src/provider/lent-registry.ts";
import { readModelsFile } from "../../src/provider/models-file.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "hookline-home-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const FAR = {
  baseUrl: "https://far.example/v1",
  api: "openai-completions",
  apiKey: "FAR_KEY",
  headers: { "x-team": "$TEAM" },
  models: [{ id: "m1", headers: { "x-model": "one" } }],
};
const NEAR = {
  baseUrl: "http://127.0.0.1:9/v1",
  api: "openai-completions",
  apiKey: "!echo from a command",
  models: [{ id: "m2" }],
};

async function registryOf(env: Record<string, string>): Promise<LentRegistry> {
  const path = join(home, "models.json");
  await writeFile(
    path,
    JSON.stringify({ providers: { far: FAR, near: NEAR, empty: { baseUrl: "https://e.example" } } }),
  );
  return new LentRegistry({ env, file: await readModelsFile(path) });
}

test("says which providers there are, where they are, and what their requests carry", async () => {
  const registry = await registryOf({ FAR_KEY: "k", TEAM: "blue" });
  expect(["far", "empty", "nobody"].map((name) => registry.hasProvider(name))).toEqual([true, false, false]);
  expect(registry.getProviderBaseUrl("far")).toBe(FAR.baseUrl);
  expect(registry.getProviderBaseUrl("nobody")).toBeUndefined();
  expect(await registry.getProviderHeaders("far")).toEqual({ "x-team": "blue" });
  expect(await registry.getProviderHeaders("near")).toBeUndefined();
  const [model] = registry.getAvailableForProviders([" FAR "]);
  expect(model?.id).toBe("m1");
  expect(await registry.resolveModelHeaders(model as NonNullable<typeof model>)).toEqual({
    "x-team": "blue",
    "x-model": "one",
  });
});

test("reports existing keys without running their commands, and resolves them on request", async () => {
  const registry = await registryOf({ TEAM: "blue" });
  expect([registry.hasConcreteAuth("far"), registry.hasConcreteAuth("near")]).toEqual([false, true]);
  expect([registry.hasCommandBackedApiKey("far"), registry.hasCommandBackedApiKey("near")]).toEqual([false, true]);
  expect(registry.authStorage.hasAuth("far")).toBe(false);
  expect(await registry.authStorage.getApiKey("near")).toBe("from a command");
  const resolve = registry.resolver({ provider: "near", id: "m2" });
  expect([await resolve(), await resolve({ lastChance: true })]).toEqual(["from a command", undefined]);
  expect(await registry.resolver("near")()).toBe("from a command");
});

test("stores no credentials, and says where to put a key", async () => {
  const { authStorage } = await registryOf({});
  expect([authStorage.list(), authStorage.has("far"), authStorage.hasOAuth("far")]).toEqual([[], false, false]);
  const where = /authStorage\.\w+ is not available: .*the provider "far" an "apiKey" in models\.json/;
  await expect(authStorage.set("far")).rejects.toThrow(where);
  await expect(authStorage.login("far")).rejects.toThrow(where);
  expect(() => authStorage.setRuntimeApiKey("far")).toThrow(where);
});

test("removes what was registered on behalf of an extension", async () => {
  const registry = await registryOf({});
  const config = { baseUrl: "http://127.0.0.1:9/v1", api: "openai-completions", apiKey: "k", models: [{ id: "x" }] };
  registry.registerProvider("one", config, "a.ts");
  registry.registerProvider("two", config, "b.ts");
  registry.registerProvider("far", { baseUrl: "https://other.example" }, "b.ts");
  expect(registry.getProviderBaseUrl("far")).toBe("https://other.example");
  registry.syncExtensionSources(["a.ts"]);
  expect(["one", "two"].map((name) => registry.hasProvider(name))).toEqual([true, false]);
  expect(registry.getProviderBaseUrl("far")).toBe(FAR.baseUrl);
  registry.clearSourceRegistrations("a.ts");
  expect(registry.hasProvider("one")).toBe(false);
});

test("remembers which models must not be used for now", async () => {
  const registry = await registryOf({});
  registry.suppressSelector("far/m1", Date.now() + 3_600_000);
  registry.suppressSelector("near/m2", Date.now() - 1);
  expect([registry.isSelectorSuppressed("far/m1"), registry.isSelectorSuppressed("near/m2")]).toEqual([true, false]);
  registry.clearSuppressedSelector("far/m1");
  expect(registry.isSelectorSuppressed("far/m1")).toBe(false);
});

test("reads models.json again, also in the background", async () => {
  const registry = await registryOf({});
  const moved = { ...NEAR, baseUrl: "http://127.0.0.1:10/v1" };
  await writeFile(join(home, "models.json"), JSON.stringify({ providers: { near: moved } }));
  registry.refreshInBackground();
  await registry.awaitBackgroundRefresh();
  expect(registry.getProviderBaseUrl("near")).toBe(moved.baseUrl);
  expect(registry.hasProvider("far")).toBe(false);
});
