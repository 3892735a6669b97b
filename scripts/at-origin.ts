import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Plugin, transform } from "esbuild";
import { root } from "./step.ts";

const ORIGIN = join(root, "packages/hookline/src/provider/http/origin.ts");

/** Where the bundled clients name the global `fetch`, by which they send when they are given no other. */
const NAMES_FETCH =
  /node_modules[\\/](?:(?:openai|@anthropic-ai[\\/]sdk)[\\/]internal[\\/]shims\.mjs|@google[\\/]genai[\\/]dist[\\/]node[\\/]index\.mjs|@earendil-works[\\/]pi-ai[\\/]dist[\\/]api[\\/]mistral-conversations\.js)$/;

/** The file of Google's sign-in that loads a `fetch` of its own; none of the addresses it asks has a reason to redirect. */
const SIGN_IN = /node_modules[\\/]gaxios[\\/]build[\\/].*gaxios\.js$/;

/** Has every client that is bundled stay at the origin to which it sends a key. */
export const atOrigin: Plugin = {
  name: "at-origin",
  setup({ onLoad, onResolve }) {
    onLoad({ filter: NAMES_FETCH }, async ({ path }) => {
      const define = { fetch: "fetchAtOrigin" };
      // pi-ai compares what it is given with the global one, which stays as it is.
      const text = readFileSync(path, "utf8").replace("?? globalThis.fetch)(", "?? fetch)(");
      const { code } = await transform(text, { define, format: "esm", target: "node22.19" });
      const name = `import { fetchAtOrigin } from ${JSON.stringify(ORIGIN)};\n`;
      return { contents: name + code, loader: "js", resolveDir: dirname(path) };
    });
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
