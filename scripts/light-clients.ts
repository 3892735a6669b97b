import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Plugin, transform } from "esbuild";
import { root } from "./step.ts";

const HEADERS = join(root, "packages/hookline/src/provider/http/headers.ts");

/** The files of the providers' clients that a request passes through. */
const FILES =
  /node_modules[\\/](?:(?:openai|@anthropic-ai[\\/]sdk)[\\/](?:client|internal[\\/](?:headers|utils[\\/]log))\.mjs|@earendil-works[\\/]pi-ai[\\/]dist[\\/]utils[\\/]provider-retry\.js)$/;

/**
 * Lets the providers' clients use the agent's headers, and ask for none of the globals that load Node's second HTTP
 * client or its web streams only to find that a request's body, a text, is none of theirs.
 */
export const lightClients: Plugin = {
  name: "light-clients",
  setup({ onLoad }) {
    onLoad({ filter: FILES }, async ({ path }) => {
      const define = {
        Headers: "WireHeaders",
        FormData: "NoForm",
        "globalThis.ReadableStream": "undefined",
        "globalThis.Blob": "undefined",
      };
      const { code } = await transform(readFileSync(path, "utf8"), { define, format: "esm", target: "node22.19" });
      const names = `import { WireHeaders } from ${JSON.stringify(HEADERS)};\nclass NoForm {}\n`;
      return { contents: names + code, loader: "js", resolveDir: dirname(path) };
    });
  },
};
