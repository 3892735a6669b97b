/**
 * Why a value cannot be stored or sent as JSON, in words without its content; `undefined` where it can. Asks by writing
 * it, so that getters, proxies and `toJSON` have their say here and not where nobody knows whose value it is.
 */
export function jsonProblem(value: unknown): string | undefined {
  try {
    if (leftOf(SMALL, value, 0) >= 0) return undefined;
    JSON.stringify(value);
    return undefined;
  } catch (thrown) {
    return holds(thrown);
  }
}

/** Up to this size, in characters and fields, a look at plain data tells that it has JSON; the rest is written. */
const SMALL = 100_000;
const DEEP = 50;

/** What is left of a size when a value is counted; below zero where it is larger, or not surely JSON. */
function leftOf(size: number, value: unknown, depth: number): number {
  if (typeof value === "string") return size - value.length;
  if (typeof value !== "object" || value === null) return typeof value === "bigint" ? -1 : size - 1;
  if (depth > DEEP || "toJSON" in value) return -1;
  const proto: unknown = Object.getPrototypeOf(value);
  let left = size - 1;
  if (Array.isArray(value)) {
    if (proto !== Array.prototype) return -1;
    for (let i = 0; i < value.length && left >= 0; i++) left = leftOf(left, value[i], depth + 1);
    return left;
  }
  if (proto !== Object.prototype) return -1;
  for (const key in value) {
    if (left < 0) return left;
    left = leftOf(left - key.length, (value as Readonly<Record<string, unknown>>)[key], depth + 1);
  }
  return left;
}

function holds(thrown: unknown): string {
  try {
    const { name, message } = thrown as Error;
    if (name === "TypeError" && /BigInt/.test(message)) return "it holds a BigInt";
    if (name === "TypeError" && /circular/i.test(message)) return "it contains itself";
    if (name === "RangeError") return "it is nested too deeply or is too large";
  } catch {
    // Whoever threw this has thrown once more.
  }
  return "something in it throws when it is read";
}

/** Throws, by the field's name, for the first field of a record that has no JSON. `skips`: fields not looked at. */
export function assertJson(record: object, skips: (name: string, value: unknown) => boolean = () => false): void {
  for (const name of Object.keys(record)) {
    const value = (record as Readonly<Record<string, unknown>>)[name];
    const problem = skips(name, value) ? undefined : jsonProblem(value);
    if (problem === undefined) continue;
    const [path, kind] = culprit(name, value, problem);
    throw new TypeError(`${path} (${kind}) has no JSON: ${problem}`);
  }
}

/** Which part of a value has no JSON, as deep as one that is read without its throwing goes. */
function culprit(path: string, value: unknown, problem: string): readonly [path: string, kind: string] {
  const own = [path, kindOf(value)] as const;
  if (problem !== "it holds a BigInt" && problem !== "something in it throws when it is read") return own;
  try {
    if (typeof value !== "object" || value === null) return own;
    for (const [key, part] of Object.entries(value)) {
      const why = jsonProblem(part);
      // Names are a hook's own words: only those that are names are told.
      if (why !== undefined) return /^[\w-]{1,40}$/.test(key) ? culprit(`${path}.${key}`, part, why) : own;
    }
  } catch {
    // It throws when its fields are read, so it is the one.
  }
  return own;
}

/** What a value is called in a report, without its content. Never throws, whatever the value does when it is read. */
export function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (typeof value !== "object") return `a ${typeof value}`;
  try {
    return Array.isArray(value) ? "a list" : "an object";
  } catch {
    // A proxy whose target has been taken away.
    return "an object";
  }
}
