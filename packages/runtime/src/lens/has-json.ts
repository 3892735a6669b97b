/**
 * Returns why a value cannot be stored or sent as JSON, in words without its content; `undefined` if it can. The value
 * is serialised, so that getters, proxies and `toJSON` fail here, where the value's owner is known.
 */
export function jsonProblem(value: unknown): string | undefined {
  try {
    JSON.stringify(value);
    return undefined;
  } catch (thrown) {
    return holds(thrown);
  }
}

function holds(thrown: unknown): string {
  try {
    const { name, message } = thrown as Error;
    if (name === "TypeError" && /BigInt/.test(message)) return "it contains a BigInt";
    if (name === "TypeError" && /circular/i.test(message)) return "it contains itself";
    if (name === "RangeError") return "it is nested too deeply or is too large";
  } catch {
    // Reading the thrown value failed, so there is no text to report.
  }
  return "something in it throws when it is read";
}

/**
 * Throws for the first field of a record that has no JSON, naming the field. Fields for which `skips` returns true are
 * not checked.
 */
export function assertJson(record: object, skips: (name: string, value: unknown) => boolean = () => false): void {
  for (const name of Object.keys(record)) {
    const value = (record as Readonly<Record<string, unknown>>)[name];
    const problem = skips(name, value) ? undefined : jsonProblem(value);
    if (problem === undefined) continue;
    const [path, kind] = culprit(name, value, problem);
    throw new TypeError(`${path} (${kind}) cannot be written as JSON: ${problem}`);
  }
}

/** Returns the path and kind of the part of a value that has no JSON, as deep as it can be read without throwing. */
function culprit(path: string, value: unknown, problem: string): readonly [path: string, kind: string] {
  const own = [path, jsonKind(value)] as const;
  if (problem !== "it contains a BigInt" && problem !== "something in it throws when it is read") return own;
  try {
    if (typeof value !== "object" || value === null) return own;
    for (const [key, part] of Object.entries(value)) {
      const why = jsonProblem(part);
      // A key may contain a hook's own text, so only keys that look like names are shown.
      if (why !== undefined) return /^[\w-]{1,40}$/.test(key) ? culprit(`${path}.${key}`, part, why) : own;
    }
  } catch {
    // This value's fields cannot be read, so the value itself is reported.
  }
  return own;
}

/** Describes a value's kind for a report, without its content. Never throws, whatever reading the value does. */
export function jsonKind(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (typeof value !== "object") return `a ${typeof value}`;
  try {
    return Array.isArray(value) ? "a list" : "an object";
  } catch {
    // `Array.isArray` throws for a revoked proxy.
    return "an object";
  }
}
