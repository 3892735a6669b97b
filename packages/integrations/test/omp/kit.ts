import type { Dialect } from "../../../runtime/src/dialect/dialect.ts";
import { callFactory } from "../../src/in-process/load.ts";
import type { Owner } from "../../src/in-process/owner.ts";
import { createBuilders } from "../../src/omp/hooks/builders.ts";
import { extensionApi, hookModuleApi } from "../../src/omp/hooks/extension-api.ts";
import { omp } from "../../src/omp/hooks/index.ts";
import { type Opened, openSession, type Setting, text } from "../opened.ts";

export { type Opened, type Setting, settle, TestClock, text, user, writeTree } from "../opened.ts";

export type Factory = (pi: any) => unknown;
export type Handler = (event: any, ctx: any) => unknown;

const apis = { hook: "omp-hooks", extension: "omp" } as const;
type Given = readonly [api: keyof typeof apis, factory: Factory];

/** A session whose modules are the given functions, in load order: `/hook/1.ts`, `/extension/2.ts` and so on. */
export function openModules(given: readonly Given[], setting: Setting = {}): Promise<Opened> {
  const inMemory: Dialect = {
    ...omp,
    discover: () => ({
      searched: [],
      diagnostics: [],
      candidates: given.map(([api, factory], i) => ({
        lane: apis[api],
        source: { path: `/${api}/${i + 1}.ts`, tier: "user", dialect: "omp", api },
        state: "runs",
        files: [],
        definition: factory,
      })),
    }),
    async load(candidate, instance, around) {
      const owner: Owner = { around, instance, name: "pi", bound: false };
      const api = candidate.source.api as keyof typeof apis;
      const texts = { failed: (problem: string) => `Failed to load ${api}: ${problem}`, noFactory: String };
      const builders = await createBuilders(owner, [], async () => ({}));
      const made = {
        hook: () => hookModuleApi(owner, builders),
        extension: () => extensionApi(owner, builders),
      };
      await callFactory(candidate.definition as Factory, owner, texts, made[api]());
    },
  };
  return openSession(inMemory, {}, setting);
}

/** Hooks of the HookAPI, as functions. */
export function openHooks(factories: readonly Factory[], setting: Setting = {}): Promise<Opened> {
  return openModules(
    factories.map((factory) => ["hook", factory]),
    setting,
  );
}

/** Extensions of the ExtensionAPI, as functions. */
export function openExtensions(factories: readonly Factory[], setting: Setting = {}): Promise<Opened> {
  return openModules(
    factories.map((factory) => ["extension", factory]),
    setting,
  );
}

/** A factory that registers these handlers of one event. */
export function on(event: string, ...handlers: readonly Handler[]): Factory {
  return (pi) => {
    for (const handler of handlers) pi.on(event, handler);
  };
}

/** A session over real files, by their paths below a fresh folder with `project/` (the cwd) and `home/`. */
export function openFiles(files: Readonly<Record<string, string>>, setting: Setting = {}): Promise<Opened> {
  return openSession(omp, files, setting);
}

/** A call of a tool, before it runs. */
export const call = (tool: string, args: Readonly<Record<string, unknown>>) => ({ toolCallId: "c1", tool, args });

/** A tool call that has run. */
export const ran = (output: string, more: { readonly isError?: boolean; readonly details?: unknown } = {}) => ({
  ...call("read", { path: "a.txt" }),
  content: [text(output)],
  details: more.details,
  isError: more.isError ?? false,
  blocked: false,
});
