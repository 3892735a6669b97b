import type { ServerDefinition } from "./definition.ts";

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/** Returns the names of all variables `${NAME}` or `${NAME:-default}` in a value, in alphabetical order. */
export function variablesIn(value: unknown): string[] {
  const names = new Set<string>();
  const visit = (one: unknown): void => {
    if (typeof one === "string") for (const [, name] of one.matchAll(VARIABLE)) names.add(name as string);
    else if (typeof one === "object" && one !== null) for (const inner of Object.values(one)) visit(inner);
  };
  visit(value);
  return [...names].sort();
}

/** Replaces the variables in a definition; also returns the names of unset variables without a default. */
export function expanded(
  definition: ServerDefinition,
  env: Readonly<Record<string, string | undefined>>,
): { readonly definition: ServerDefinition; readonly unset: readonly string[] } {
  const unset = new Set<string>();
  const fill = (text: string): string =>
    text.replaceAll(VARIABLE, (_, name: string, instead?: string) => {
      const value = env[name];
      // As in a shell, the default also applies to an empty variable.
      if (value !== undefined && (value !== "" || instead === undefined)) return value;
      if (instead === undefined) unset.add(name);
      return instead ?? "";
    });
  const { name, timeoutMs, startTimeoutMs, variables, ...texts } = definition;
  const filled = walk(texts, fill) as typeof texts;
  return { definition: { ...definition, ...filled }, unset: [...unset] };
}

function walk(value: unknown, fill: (text: string) => string): unknown {
  if (typeof value === "string") return fill(value);
  if (Array.isArray(value)) return value.map((one) => walk(one, fill));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, walk(one, fill)]));
}
