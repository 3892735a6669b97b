import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Plugin, transform } from "esbuild";
import { root } from "./step.ts";

const HTTP = join(root, "packages/hookline/src/provider/http");
const HEADERS = join(HTTP, "headers.ts");
const CHAT_CLIENT = join(HTTP, "chat-client.ts");

/** The files of the providers' clients that a request passes through. */
const FILES =
  /node_modules[\\/](?:(?:openai|@anthropic-ai[\\/]sdk)[\\/](?:client|internal[\\/](?:headers|utils[\\/]log))\.mjs|@earendil-works[\\/]pi-ai[\\/]dist[\\/]utils[\\/]provider-retry\.js)$/;

/** pi-ai's part for chat completions, which asks OpenAI's client for one thing only. */
const CHAT = /@earendil-works[\\/]pi-ai[\\/]dist[\\/]api[\\/]openai-completions\.js$/;

/**
 * Gives pi-ai the agent's client for chat completions, and lets the other clients use the agent's headers, and ask for none of the globals that load Node's second HTTP
 * client or its web streams only to find that a request's body, a text, is none of theirs.
 */
export const lightClients: Plugin = {
  name: "light-clients",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^openai$/ }, ({ importer }) =>
      CHAT.test(importer) ? { path: "openai", namespace: "light-clients" } : undefined,
    );
    onLoad({ filter: /^openai$/, namespace: "light-clients" }, () => ({
      contents: `export { ChatClient as default } from ${JSON.stringify(CHAT_CLIENT)};`,
      loader: "js",
      resolveDir: HTTP,
    }));
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
