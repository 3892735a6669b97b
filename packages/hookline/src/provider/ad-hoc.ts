import { chooseFrom } from "@hookline/ground";
import { wrongUse } from "@hookline/ground/system";
import { isLoopback } from "./address.ts";
import type { Environment } from "./config-value.ts";
import { knownProvider } from "./known.ts";
import { split } from "./lookup.ts";
import type { ModelFlags } from "./models.ts";
import { APIS } from "./pi-ai.ts";
import type { Model } from "./provider.ts";
import type { ModelRegistry } from "./registry.ts";

/** The provider's name if `--base-url` is passed without naming a provider. */
const AD_HOC = "custom";

/** The environment variable that holds the API key for `--base-url` if no provider is named. */
const AD_HOC_KEY = "HOOKLINE_API_KEY";

/** Returns the model at a `--base-url`, and adds it to the registry. */
export function fromUrl(flags: ModelFlags, url: string, registry: ModelRegistry, env: Environment): Model {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw wrongUse(
      "--base-url",
      `is not the URL of a server: ${url}`,
      "Give it as http://HOST:PORT/PATH or https://….",
    );
  }
  const [prefix, rest] = split(flags.model ?? "default", registry);
  const known = prefix === undefined ? undefined : registry.find(prefix, rest);
  const provider = prefix ?? AD_HOC;
  const usual = known?.api ?? knownProvider(provider)?.api ?? "openai-completions";
  // Every OpenAI-compatible server supports the Completions API, but few support the Responses API.
  const api = flags.api ?? (usual === "openai-responses" ? "openai-completions" : usual);
  if (!APIS.includes(api) && registry.composed(provider)?.streamSimple === undefined) {
    throw wrongUse("--api", `names "${api}", which is not known`, chooseFrom(api, APIS));
  }
  const trimmed = url.replace(/\/+$/, "");
  const model: Model = {
    name: rest,
    reasoning: false,
    input: ["text", "image"],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 128_000,
    maxTokens: 16_384,
    ...known,
    id: rest,
    api,
    provider,
    // The client of this protocol adds `/v1` itself.
    baseUrl: api === "anthropic-messages" ? trimmed.replace(/\/v1$/, "") : trimmed,
  };
  if (prefix === undefined && !isLoopback(url) && !env[AD_HOC_KEY]) {
    const remedy = `Set ${AD_HOC_KEY}, or name the provider whose key is meant: --model PROVIDER/${rest}.`;
    throw wrongUse("--base-url", `points to another machine, ${new URL(url).host}, and there is no key for it`, remedy);
  }
  registry.add(model, prefix === undefined ? `$${AD_HOC_KEY}` : undefined);
  return model;
}
