import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isFields, messageOf } from "@hookline/ground";
import { HooklineError } from "@hookline/runtime";
import { knownProvider } from "./known.ts";
import type { ModelEntry, ProviderEntry } from "./models-file.ts";
import type { Model } from "./provider.ts";
import type { StreamClient } from "./through.ts";

/** A provider as an extension registers it: pi's `ProviderConfig`. Source: spec/pi.md 2.1. */
export interface ProviderConfig extends Omit<ProviderEntry, "modelOverrides"> {
  /** The extension's own client, which replaces the built-in ones for the models of this provider. */
  readonly streamSimple?: StreamClient["streamSimple"];
}

/** A provider, combined from its built-in data, `models.json` and an extension's registration. */
export interface Composed {
  readonly name: string;
  readonly title: string;
  readonly models: readonly Model[];
  /** The API key as configured, such as `$NAME` or a command; `resolveValue` returns the key itself. */
  readonly apiKey?: string;
  /** Environment variables that may hold the API key if none is configured. */
  readonly keys: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly authHeader: boolean;
  readonly streamSimple?: StreamClient["streamSimple"];
}

/** Checks an extension's configuration. Throws, with the provider's name, if a part of it cannot be used at all. */
export function assertConfig(provider: string, config: ProviderConfig): void {
  if (!isFields(config)) throw new TypeError(`Provider ${provider}: its configuration must be an object.`);
  for (const field of ["name", "baseUrl", "apiKey", "api"] as const) {
    const value: unknown = config[field];
    if (value !== undefined && typeof value !== "string")
      throw new TypeError(`Provider ${provider}: "${field}" must be text, not a ${typeof value}.`);
  }
  const { models = [] }: { readonly models?: unknown } = config;
  const isUsable = (model: unknown): boolean => isFields(model) && typeof model["id"] === "string";
  if (!Array.isArray(models) || !models.every(isUsable))
    throw new TypeError(`Provider ${provider}: "models" must be a list of objects, each with an "id" that is text.`);
}

/**
 * Combines a known provider with `models.json`, then with an extension's registration. Models in the file are added, or
 * replace the one with the same id; those of an extension replace all. `modelOverrides` are applied last. Throws pi's
 * message for a model without `api` or `baseUrl`.
 */
export function composeProvider(name: string, file: ProviderEntry = {}, extension: ProviderConfig = {}): Composed {
  const known = knownProvider(name);
  const base: readonly Model[] = known === undefined ? [] : catalogue(name);
  const fromFile = new Map(base.map((model) => [model.id, relocated(model, file)]));
  for (const entry of file.models ?? []) fromFile.set(entry.id, complete(name, entry, file, base));
  const listed = [...fromFile.values()];
  const models =
    extension.models?.map((entry) => complete(name, entry, extension, listed)) ??
    listed.map((model) => relocated(model, extension));
  const apiKey = extension.apiKey ?? file.apiKey;
  return {
    name,
    title: extension.name ?? file.name ?? known?.title ?? name,
    models: models.map((model) => changed(model, file.modelOverrides?.[model.id])),
    ...(apiKey !== undefined && { apiKey }),
    keys: known?.keys ?? [],
    headers: { ...file.headers, ...extension.headers },
    authHeader: extension.authHeader ?? file.authHeader ?? false,
    ...(extension.streamSimple !== undefined && { streamSimple: extension.streamSimple }),
  };
}

function complete(name: string, entry: ModelEntry, owner: ProviderEntry, others: readonly Model[]): Model {
  const wanted = entry.api ?? owner.api;
  const like =
    others.find((model) => model.id === entry.id) ?? others.find((model) => model.api === wanted) ?? others[0];
  const api = wanted ?? like?.api;
  const baseUrl = entry.baseUrl ?? owner.baseUrl ?? like?.baseUrl;
  if (api === undefined) {
    throw new Error(`Provider ${name}, model ${entry.id}: no "api" specified. Set at provider or model level.`);
  }
  if (baseUrl === undefined) throw new Error(`Provider ${name}: "baseUrl" is required when defining custom models.`);
  return {
    ...entry,
    name: entry.name ?? entry.id,
    api,
    provider: name,
    baseUrl,
    reasoning: entry.reasoning ?? false,
    input: entry.input ?? ["text"],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, ...entry.cost },
    contextWindow: entry.contextWindow ?? 128_000,
    maxTokens: entry.maxTokens ?? 16_384,
    ...merged("compat", owner.compat, entry.compat),
  };
}

function relocated(model: Model, owner: ProviderEntry): Model {
  if (owner.baseUrl === undefined && owner.compat === undefined) return model;
  return { ...model, baseUrl: owner.baseUrl ?? model.baseUrl, ...merged("compat", model.compat, owner.compat) };
}

function changed(model: Model, change: Partial<Model> | undefined): Model {
  if (change === undefined) return model;
  return {
    ...model,
    ...change,
    cost: { ...model.cost, ...change.cost },
    ...merged("headers", model.headers, change.headers),
    ...merged("compat", model.compat, change.compat),
  };
}

function merged<K extends string, T extends object>(
  key: K,
  lower: T | undefined,
  upper: T | undefined,
): { [P in K]?: T } {
  if (lower === undefined && upper === undefined) return {};
  return { [key]: { ...lower, ...upper } } as { [P in K]?: T };
}

// The built program has the data in its own folder; when run from source, the data are in the installed package.
const PLACES = ["catalogue", "node_modules/@earendil-works/pi-ai/dist/providers/data"];

const read = new Map<string, readonly Model[]>();
let folder: string | undefined;

/**
 * Returns the models of a known provider from pi-ai's catalogue. Reads only that provider's file, and only once. Must
 * be synchronous, because extensions call the registry's `find` synchronously.
 */
export function catalogue(provider: string): readonly Model[] {
  const cached = read.get(provider);
  if (cached !== undefined) return cached;
  if (knownProvider(provider) === undefined) return [];
  folder ??= findFolder(`${provider}.json`);
  const path = join(folder, `${provider}.json`);
  try {
    const groups = JSON.parse(readFileSync(path, "utf8")) as Record<string, Record<string, Model>>;
    const models = Object.values(groups).flatMap((group) => Object.values(group));
    read.set(provider, models);
    return models;
  } catch (cause) {
    throw new HooklineError("UNREADABLE", { path, problem: messageOf(cause) }, { cause });
  }
}

function findFolder(file: string): string {
  const start = dirname(fileURLToPath(import.meta.url));
  for (let place = start, above = ""; place !== above; above = place, place = dirname(place)) {
    for (const inner of PLACES) if (existsSync(join(place, inner, file))) return join(place, inner);
  }
  throw new HooklineError("UNREADABLE", {
    path: "The model catalogue",
    problem: `it is not installed beside ${start}`,
  });
}
