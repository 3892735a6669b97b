import type { Plugin } from "esbuild";

/**
 * The file of Google's sign-in that loads its own `fetch`; none of the addresses that it uses has a reason to redirect.
 */
const SIGN_IN = /node_modules[\\/]gaxios[\\/]build[\\/].*gaxios\.js$/;

/** Makes Google's sign-in refuse redirects, so that a key is only sent to its original address. */
export const atOrigin: Plugin = {
  name: "at-origin",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^node-fetch$/ }, ({ importer, resolveDir }) =>
      SIGN_IN.test(importer) ? { path: "node-fetch", namespace: "at-origin", pluginData: resolveDir } : undefined,
    );
    onLoad({ filter: /./, namespace: "at-origin" }, ({ pluginData }) => ({
      contents: `export * from "node-fetch";\nimport send from "node-fetch";\nexport default (to, init) => send(to, { ...init, redirect: "error" });\n`,
      loader: "js",
      resolveDir: pluginData as string,
    }));
  },
};
