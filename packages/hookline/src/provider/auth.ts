import { messageOf } from "@hookline/ground";
import { isLoopback } from "./address.ts";
import type { Composed } from "./compose.ts";
import { type Environment, missingVariables, resolveValue } from "./config-value.ts";
import type { Model } from "./provider.ts";
import { keepSecret } from "./secrets.ts";

/** The key and headers that authorise a request to a model. */
export interface RequestAuth {
  readonly apiKey?: string;
  readonly headers: Readonly<Record<string, string>>;
}

type Keyed = Pick<Composed, "apiKey" | "keys" | "streamSimple">;

/** Whether a request to the provider could be authorised; runs no command to find out. */
export function hasKey(provider: Keyed, baseUrl: string, env: Environment): boolean {
  if (isLoopback(baseUrl)) return true;
  if (provider.apiKey !== undefined) return missingVariables(provider.apiKey, env).length === 0;
  return provider.streamSimple !== undefined || provider.keys.some((name) => env[name]);
}

/** Finds a request's key and headers; uses a `given` key unchanged. Throws an error that says what is missing. */
export async function authorise(
  provider: Composed,
  model: Model,
  env: Environment,
  given?: string,
): Promise<RequestAuth> {
  const apiKey = given ?? (await keyOf(provider, model, env));
  const headers = await headersOf(provider.name, { ...model.headers, ...provider.headers }, env);
  if (apiKey !== undefined) keepSecret(`key of ${provider.name}`, apiKey);
  if (provider.authHeader && apiKey !== undefined) headers["Authorization"] = `Bearer ${apiKey}`;
  const authorised =
    apiKey !== undefined || Object.keys(headers).some((name) => /^(authorization|x-api-key)$/i.test(name));
  if (!authorised && !isLoopback(model.baseUrl) && provider.streamSimple === undefined)
    throw new Error(noKey(provider));
  return { headers, ...(apiKey !== undefined && { apiKey }) };
}

/** Returns the values of configured headers; throws if a header has no value. */
export async function headersOf(
  provider: string,
  configured: Readonly<Record<string, string>>,
  env: Environment,
): Promise<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(configured)) {
    headers[name] = await resolveValue(value, env).catch((thrown: unknown) => {
      const what = `The header "${name}" of provider "${provider}" has no value: ${messageOf(thrown)}`;
      throw new Error(`${what}. Correct it in models.json.`, { cause: thrown });
    });
  }
  for (const [name, value] of Object.entries(headers)) keepSecret(`header ${name}`, value);
  return headers;
}

async function keyOf(provider: Composed, model: Model, env: Environment): Promise<string | undefined> {
  if (provider.apiKey === undefined) return provider.keys.map((name) => env[name]).find(Boolean);
  try {
    return await resolveValue(provider.apiKey, env);
  } catch (thrown) {
    if (isLoopback(model.baseUrl)) return undefined;
    const what = `The key of provider "${provider.name}" cannot be resolved: ${messageOf(thrown)}`;
    throw new Error(`${what}. Set it, or correct "apiKey" where the provider is defined.`, { cause: thrown });
  }
}

/** Returns the error text for a provider without a key. */
export function noKey(provider: Composed): string {
  const [variable] = provider.keys;
  const ways = variable === undefined ? "" : `set ${variable}, or `;
  return `There is no key for provider "${provider.name}": ${ways}give it an "apiKey" in models.json.`;
}
