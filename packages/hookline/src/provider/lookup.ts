import type { Diagnostic } from "@hookline/runtime";
import { invalid } from "./choice-error.ts";
import { knownProvider } from "./known.ts";
import type { Model } from "./provider.ts";
import type { ModelRegistry } from "./registry.ts";

/**
 * Finds the model `PROVIDER/ID`, or `ID` at any provider, preferably one with a key. `asked` is the flag or setting
 * that names the model, for error messages.
 */
export function lookUp(name: string, registry: ModelRegistry, asked = "--model"): Model {
  const [prefix, id] = split(name, registry);
  // An id may start with another provider's name, such as `openai/gpt-5` at a router; then all providers are searched.
  const model = prefix === undefined ? undefined : (seek(id, [prefix], registry) ?? registry.unlisted(prefix, id));
  const found = model ?? seek(name, inOrder(registry), registry);
  if (found === undefined) throw unknown(asked, name, prefix, id, registry);
  return found;
}

function seek(id: string, places: readonly string[], registry: ModelRegistry): Model | undefined {
  let keyless: Model | undefined;
  for (const place of places) {
    const model = registry.find(place, id) ?? registry.composed(place)?.models.find((one) => sameText(one.id, id));
    if (model !== undefined && registry.hasConfiguredAuth(model)) return model;
    keyless ??= model;
  }
  return keyless;
}

/** Lists providers, those with a key and custom ones first, because a match with a key ends the search. */
function inOrder(registry: ModelRegistry): readonly string[] {
  const keyed = registry.names.filter((name) => knownProvider(name) === undefined || registry.isKeyed(name));
  return [...new Set([...keyed, ...registry.names])];
}

function unknown(asked: string, name: string, prefix: string | undefined, id: string, registry: ModelRegistry) {
  const places = prefix === undefined ? registry.names : [prefix];
  const models = places.flatMap((place) => registry.composed(place)?.models ?? []);
  // Reversed, because a Map keeps the last of two pairs with one key: the error names a model's first provider.
  const byId = new Map(models.map((model) => [model.id, `${model.provider}/${model.id}`] as const).reverse());
  const near = alike(id, byId.keys(), 3).map((one) => byId.get(one));
  const meant = near.length === 0 ? "" : `Did you mean ${near.join(" or ")}? `;
  const where = prefix === undefined ? "no provider has" : `provider "${prefix}" does not have`;
  const usual = `${meant}Other models can be added to ${registry.path}.`;
  const broken = brokenFile(registry);
  if (broken === undefined) return invalid(asked, `names "${name}", which ${where}`, usual);
  // The model may be in a part of the file that cannot be used, so the error names the problem.
  const problem = `names "${name}", which ${where}, and models.json cannot be used (${broken.message})`;
  return invalid(asked, problem, `${broken.hint} ${usual}`);
}

/** Returns the first problem of `models.json`, if a part of the file cannot be used. */
function brokenFile({ diagnostics }: ModelRegistry): Diagnostic | undefined {
  return diagnostics.some(({ severity }) => severity === "error") ? diagnostics[0] : undefined;
}

/** Splits `PROVIDER/ID`. Ids contain slashes too, so the first part counts only if it is a provider's name. */
export function split(name: string, registry: ModelRegistry): [string | undefined, string] {
  const slash = name.indexOf("/");
  const provider = registry.names.find((one) => sameText(one, name.slice(0, Math.max(slash, 0))));
  return provider === undefined ? [undefined, name] : [provider, name.slice(slash + 1)];
}

function sameText(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}

/** Returns the names most similar to `name`, best first, without dissimilar ones. */
export function alike(name: string, names: Iterable<string>, count: number): readonly string[] {
  const wanted = pairs(name);
  const scored: { name: string; score: number }[] = [];
  for (const candidate of names) {
    const given = pairs(candidate);
    const common = [...given].filter((pair) => wanted.has(pair)).length;
    const score = (2 * common) / (wanted.size + given.size);
    if (score >= 0.35) scored.push({ name: candidate, score });
  }
  scored.sort((left, right) => right.score - left.score || (left.name < right.name ? -1 : 1));
  return scored.slice(0, count).map((entry) => entry.name);
}

/** Returns pairs of neighbouring letters and digits; the separators `-`, `.` and `/` do not count. */
function pairs(name: string): Set<string> {
  const text = ` ${name.toLowerCase().replaceAll(/[^a-z0-9]/g, "")} `;
  return new Set(Array.from({ length: text.length - 1 }, (_, index) => text.slice(index, index + 2)));
}
