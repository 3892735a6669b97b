import { isProviderKey } from "../kit.ts";

/** Shorter values are words rather than keys. */
const LEAST = 8;

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The value without the keys of this machine's providers, which no hook elsewhere needs. Other secrets stay: a remote
 * hook may look for them.
 */
export function withoutProviderKeys<T>(value: T, env: Env): T {
  // Names first: reading all variables of a process takes three times as long.
  const keys = Object.keys(env)
    .filter(isProviderKey)
    .map((name) => env[name] ?? "")
    .filter(({ length }) => length >= LEAST);
  return keys.length === 0 ? value : (cleaned(value, keys) as T);
}

function cleaned(value: unknown, keys: readonly string[]): unknown {
  if (typeof value === "string") return keys.reduce((text, key) => text.replaceAll(key, "[provider key]"), value);
  if (Array.isArray(value)) return value.map((one) => cleaned(one, keys));
  if (typeof value !== "object" || value === null) return value;
  // No name can make an object with another prototype.
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [cleaned(name, keys), cleaned(one, keys)]));
}
