/** What foreign JSON may be at most. Source: guarantees R8, R18. */
export const JSON_LIMITS: { readonly depth: number; readonly bytes: number } = { depth: 256, bytes: 8 * 1024 * 1024 };

/** Foreign JSON, read. */
export type JsonReading =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** Keys that the top-level object states more than once; the last value is the one in `value`. */
      readonly repeated: readonly string[];
      /** What was left out, in words without content. */
      readonly notes: readonly string[];
    }
  | { readonly ok: false; readonly problem: string };

/**
 * Reads exactly one JSON value of bounded size and depth. `__proto__` keys are left out and noted.
 * Problems never quote the text.
 */
export function readJson(text: string): JsonReading {
  if (tooLong(text)) return { ok: false, problem: `it is longer than ${JSON_LIMITS.bytes / 1024 / 1024} MiB` };
  const seen = survey(text);
  if (seen === undefined) return { ok: false, problem: `it is nested deeper than ${JSON_LIMITS.depth} levels` };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, problem: text.trim() === "" ? "it is empty" : "it is not one valid JSON value" };
  }
  const notes = /__proto__|\\u/.test(text) && purge(value) ? ['a "__proto__" key was left out'] : [];
  return { ok: true, value, repeated: seen, notes };
}

function tooLong(text: string): boolean {
  if (text.length * 3 <= JSON_LIMITS.bytes) return false;
  return text.length > JSON_LIMITS.bytes || new TextEncoder().encode(text).length > JSON_LIMITS.bytes;
}

/** The repeated keys of the top-level object; `undefined` when the nesting is too deep. Says nothing about validity. */
function survey(text: string): string[] | undefined {
  const keys = new Set<string>();
  const repeated = new Set<string>();
  const token = /["{}[\]:]/g;
  let depth = 0;
  let last = "";
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const mark = match[0];
    if (mark === '"') {
      const end = closing(text, match.index + 1);
      if (depth === 1) last = text.slice(match.index, end + 1);
      token.lastIndex = end + 1;
    } else if (mark === ":") {
      if (depth === 1 && last !== "") {
        const key = unquoted(last);
        if (keys.has(key)) repeated.add(key);
        keys.add(key);
      }
    } else if (mark === "{" || mark === "[") {
      depth += 1;
      if (depth > JSON_LIMITS.depth) return undefined;
    } else depth -= 1;
  }
  return [...repeated];
}

/** Where the string that was opened before `from` ends. */
function closing(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}

function unquoted(literal: string): string {
  try {
    return String(JSON.parse(literal));
  } catch {
    return literal;
  }
}

/** Deletes every own `__proto__` key, at any depth; whether there was one. The depth is known to be bounded. */
function purge(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  let found = false;
  if (!Array.isArray(value) && Object.hasOwn(value, "__proto__")) {
    Reflect.deleteProperty(value, "__proto__");
    found = true;
  }
  for (const item of Object.values(value)) found = purge(item) || found;
  return found;
}
