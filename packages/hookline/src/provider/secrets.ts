import { createRedactor } from "@hookline/ground";

/** Shorter values are words rather than secrets; replacing them would garble every text. */
const MIN_LENGTH = 8;

/** The providers' keys and headers that this process has resolved, with the text that replaces each. */
const known = new Map<string, string>();
/** The entries of `known`, longest first, because one may be the start of another. */
let ordered: readonly (readonly [value: string, name: string])[] = [];

/** Makes redaction remove a key or header value, and its words of at least `MIN_LENGTH` characters. */
export function keepSecret(name: string, value: string): void {
  for (const part of [value, ...value.split(/[\s;,]+|(?<=\w)=(?!=*$)/)]) {
    if (part.length < MIN_LENGTH || known.has(part)) continue;
    for (const spelled of [part, encodeURIComponent(part)]) known.set(spelled, `[${name}]`);
    ordered = [...known].sort(([a], [b]) => b.length - a.length);
  }
}

/** Returns the text without the providers' keys and headers, and otherwise unchanged. */
export function withoutSecrets(text: string): string {
  return ordered.reduce((clean, [value, name]) => clean.replaceAll(value, () => name), text);
}

/** Returns the redactor for messages and logs: it removes texts that look like API keys, and providers' secrets. */
export function secretRedactor(env: Readonly<Record<string, string | undefined>>): (text: string) => string {
  const redact = createRedactor(env);
  return (text) => redact(withoutSecrets(text));
}
