import { secretRedactor } from "../provider/secrets.ts";

/** Removes API keys from all texts in a value, such as the error of a module that failed to load. */
export function redacted<T>(value: T, env: Readonly<Record<string, string | undefined>>): T {
  const redact = secretRedactor(env);
  // Most texts are paths and hashes that occur several times.
  const seen = new Map<string, string>();
  const clean = (part: unknown): unknown => {
    if (typeof part === "string") return seen.get(part) ?? cleaned(part);
    if (Array.isArray(part)) return part.map(clean);
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, field]) => [name, clean(field)]));
  };
  const cleaned = (text: string): string => {
    const without = redact(text);
    seen.set(text, without);
    return without;
  };
  return clean(value) as T;
}
