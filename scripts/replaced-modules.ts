import { join } from "node:path";
import type { Plugin } from "esbuild";
import { root } from "./step.ts";

const STREAMED = join(root, "packages/hookline/src/provider/streamed");

/** What pi-ai's clients import, and the modules of the agent that they get in the tests and in the build alike. */
export const REPLACED: readonly { readonly find: RegExp; readonly replacement: string }[] = [
  { find: /^\.\.\/utils\/json-parse\.js$/, replacement: join(STREAMED, "json-parse.ts") },
  { find: /^\.\.\/utils\/event-stream\.js$/, replacement: join(STREAMED, "event-stream.ts") },
];

const CLIENT = /@earendil-works[\\/]pi-ai[\\/]dist[\\/]api[\\/][^\\/]+\.js$/;

/** The same for the build. */
export const replacedModules: Plugin = {
  name: "replaced-modules",
  setup({ onResolve }) {
    for (const { find, replacement } of REPLACED)
      onResolve({ filter: find }, ({ importer }) => (CLIENT.test(importer) ? { path: replacement } : undefined));
  },
};
