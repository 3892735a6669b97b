import type { Candidate } from "@hookline/runtime/dialect";
import { diagnose } from "@hookline/runtime/dialect";
import { sharedOf } from "@hookline/runtime/engine";
import { callFactory, type Factory, factoryOf, type LoadTexts, loadModule } from "../../in-process/load.ts";
import { lineOf, type Owner } from "../../in-process/owner.ts";
import { createProviding, type Exports } from "../../in-process/provide.ts";
import { type Builders, createBuilders } from "./builders.ts";
import { createBun } from "./bun.ts";
import { extensionApi, hookModuleApi } from "./extension-api.ts";
import { ompModules, ROOT } from "./modules.ts";

/** omp's error messages for hooks and extensions that could not be loaded. Source: spec/omp.md 3.4. */
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

/** Imports a hook's module and calls its factory with an API object. Throws the module's errors with omp's messages. */
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

/** A pattern in a hook's code that is valid but does not do what it seems to do. */
interface Habit {
  readonly found: RegExp;
  readonly problem: string;
  readonly remedy: string;
}

const habits: readonly Habit[] = [
  {
    found: /\.role\s*[!=]==?\s*(["'])tool\1/,
    problem:
      'it looks for messages of the role "tool", and never finds one: results of tools are of the role "toolResult"',
    remedy: 'Compare with "toolResult".',
  },
];

/** Reports code in a module's text that looks right but does not work, from `habits`. Source: ruling 7. */
export function lintText(owner: Owner, text: string): void {
  for (const { found, problem, remedy } of habits) {
    const hit = found.exec(text);
    if (hit !== null) report(owner, lineOf(owner, hit[0]), problem, remedy);
  }
}

/** Reports a hook whose factory is asynchronous; it is awaited anyway (ruling 22). */
export function lintAsync(owner: Owner): void {
  report(
    owner,
    lineOf(owner, "export default", "exports.default", "module.exports"),
    "its factory is asynchronous",
    "hookline waited for it; register handlers synchronously, since other hosts do not wait.",
  );
}

function report({ instance }: Owner, line: number, problem: string, remedy: string): void {
  const { source } = instance;
  instance.report(diagnose("LINT", { path: source.path, line, problem, remedy }, { source }));
}

/** Returns the hook files that the session has loaded itself. If one is a project's, the user has approved it. */
export function approvedHooks(shared: Map<string, unknown>): Set<string> {
  return sharedOf(shared, "omp.approved", () => new Set<string>());
}
