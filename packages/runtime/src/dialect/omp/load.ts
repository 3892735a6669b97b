import type { Candidate } from "../dialect.ts";
import { callFactory, type Factory, factoryOf, type LoadTexts, loadModule } from "../inprocess/load.ts";
import type { Owner } from "../inprocess/owner.ts";
import { createProviding, type Exports } from "../inprocess/provide.ts";
import { type Builders, createBuilders } from "./builders.ts";
import { createBun } from "./bun.ts";
import { extensionApi, hookModuleApi } from "./extension-api.ts";
import { lintAsync, lintText } from "./lint.ts";
import { ompModules, ROOT } from "./modules.ts";

/** omp's words for hooks and extensions that could not be loaded. Source: spec/omp.md 3.4. */
const hookTexts: LoadTexts = {
  failed: (problem) => `Failed to load hook: ${problem}`,
  noFactory: () => "Hook must export a default function",
};
const extensionTexts: LoadTexts = {
  failed: (problem) => `Failed to load extension: ${problem}`,
  noFactory: (path) => `Extension does not export a valid factory function: ${path}`,
};

/** Loads a module as a hook of the session. */
export async function loadHookModule(candidate: Candidate, owner: Owner): Promise<void> {
  await callHook(candidate, owner, (builders) => hookModuleApi(owner, builders));
}

/** Loads a module as an extension of the session. */
export async function loadExtension(candidate: Candidate, owner: Owner): Promise<void> {
  const { factory, builders } = await prepare(candidate, owner, extensionTexts);
  await callFactory(factory, owner, extensionTexts, extensionApi(owner, builders));
}

/** Imports a hook's module and calls its factory with the API object that is made for it; faults are in omp's words. */
export async function callHook(
  candidate: Candidate,
  owner: Owner,
  apiOf: (builders: Builders) => object,
): Promise<void> {
  const { factory, builders } = await prepare(candidate, owner, hookTexts);
  const watched: Factory = (api) => {
    const result = factory(api);
    if (typeof (result as { readonly then?: unknown } | null | undefined)?.then === "function") lintAsync(owner);
    return result;
  };
  await callFactory(watched, owner, hookTexts, apiOf(builders));
}

async function prepare(
  candidate: Candidate,
  owner: Owner,
  texts: LoadTexts,
): Promise<{ readonly factory: Factory; readonly builders: Builders }> {
  const provided = ompModules(owner);
  const factory = factoryOf(await loadModule(candidate, owner, provided, texts, { Bun: createBun(owner) }));
  if (factory === undefined) throw new Error(texts.noFactory(candidate.source.path));
  const text = new TextDecoder().decode(owner.around.scan.files.read(candidate.source.path) ?? new Uint8Array());
  lintText(owner, text);
  const root = async (): Promise<Exports> =>
    (await createProviding(provided, owner.around, (word) => text.includes(word)).provide(ROOT)) as Exports;
  return { factory, builders: await createBuilders(owner, candidate.files, root) };
}
