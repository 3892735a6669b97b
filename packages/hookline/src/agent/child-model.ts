import { lookUp } from "../provider/lookup.ts";
import type { Model } from "../provider/provider.ts";
import type { ModelRegistry } from "../provider/registry.ts";

/**
 * A sub-agent's model, as a definition, a tool call or a hook names it. The first available of several names is used.
 */
export type WrittenModel = string | readonly string[] | undefined;

/**
 * Returns the first of the named models that is available; undefined if none is. A definition that was written for
 * another program may name models that do not exist here.
 */
export function writtenModel(
  written: readonly WrittenModel[],
  parent: Model,
  registry: ModelRegistry,
): Model | undefined {
  const names = written.flatMap((one) => (typeof one === "string" ? one.split(",") : (one ?? [])));
  for (const name of names.map((part) => part.trim())) {
    const found = name === "" ? undefined : askable(name, parent, registry);
    if (found !== undefined) return found;
  }
  return undefined;
}

function askable(name: string, parent: Model, registry: ModelRegistry): Model | undefined {
  if (name === "inherit" || wordsOf(parent).includes(name)) return parent;
  try {
    const model = lookUp(name, registry);
    return registry.hasConfiguredAuth(model) ? model : undefined;
  } catch {
    return newestOf(name, parent, registry);
  }
}

/** Returns the newest model of a kind such as "sonnet" from the parent's provider. */
function newestOf(kind: string, { provider }: Model, registry: ModelRegistry): Model | undefined {
  if (!/^[a-z]+$/.test(kind)) return undefined;
  const models = registry.composed(provider)?.models.filter((model) => wordsOf(model).includes(kind)) ?? [];
  return models.toSorted((a, b) => a.id.localeCompare(b.id, "en", { numeric: true })).at(-1);
}

function wordsOf({ id }: Model): readonly string[] {
  return id.split(/[^A-Za-z0-9]+/);
}
