import { join } from "node:path";
import type { Plugin } from "esbuild";
import { root } from "./step.ts";

const PROVIDER = join(root, "packages/hookline/src/provider");

const CLIENT = /@earendil-works[\\/]pi-ai[\\/]dist[\\/]api[\\/][^\\/]+\.js$/;
const CHAT = /@earendil-works[\\/]pi-ai[\\/]dist[\\/]api[\\/]openai-completions\.js$/;

interface Replaced {
  readonly find: RegExp;
  readonly importer: RegExp;
  readonly by: string;
}

/** Imports of pi-ai's clients, with the agent's modules that replace them in tests and in the build. */
const REPLACED: readonly Replaced[] = [
  { find: /^\.\.\/utils\/json-parse\.js$/, importer: CLIENT, by: join(PROVIDER, "streamed/json-parse.ts") },
  { find: /^\.\.\/utils\/event-stream\.js$/, importer: CLIENT, by: join(PROVIDER, "streamed/event-stream.ts") },
  { find: /^openai$/, importer: CHAT, by: join(PROVIDER, "http/chat-client.ts") },
];

/** Replaces the modules in the build. */
export const replacedModules: Plugin = {
  name: "replaced-modules",
  setup({ onResolve }) {
    for (const { find, importer: from, by } of REPLACED)
      onResolve({ filter: find }, ({ importer }) => (from.test(importer) ? { path: by } : undefined));
  },
};

/** Replaces the modules in the tests. */
export const replacedInTests = {
  name: replacedModules.name,
  enforce: "pre" as const,
  resolveId(source: string, importer: string | undefined): string | undefined {
    return REPLACED.find(({ find, importer: from }) => find.test(source) && from.test(importer ?? ""))?.by;
  },
};
