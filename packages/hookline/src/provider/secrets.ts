import { createRedactor } from "@hookline/runtime/internal";

/** Shorter values are words rather than secrets; replacing them would garble every text. */
const MIN_LENGTH = 8;

/** Keys and headers of providers that this process has worked out, with what to write in their place. */
const known = new Map<string, string>();
/** The same, the longest first, since one may begin with another. */
let ordered: readonly (readonly [value: string, name: string])[] = [];

/** Has a key or a header's value kept out of every text that is redacted from now on, whole or by its parts. */
export function keepSecret(name: string, value: string): void {
  for (const part of [value, ...value.split(/[\s;,]+|(?<=\w)=(?!=*$)/)]) {
    if (part.length < MIN_LENGTH || known.has(part)) continue;
    for (const spelled of [part, encodeURIComponent(part)]) known.set(spelled, `[${name}]`);
    ordered = [...known].sort(([a], [b]) => b.length - a.length);
  }
}

/** The text without the providers' keys and headers; nothing else is changed. */
export function withoutSecrets(text: string): string {
  return ordered.reduce((clean, [value, name]) => clean.replaceAll(value, () => name), text);
}

/** The redactor for what a person or a log is told: what has the shape of a key goes, and so do the providers' secrets. */
export function secretRedactor(env: Readonly<Record<string, string | undefined>>): (text: string) => string {
  const redact = createRedactor(env);
  return (text) => redact(withoutSecrets(text));
}
