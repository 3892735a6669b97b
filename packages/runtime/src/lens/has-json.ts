/**
 * Why a value cannot be stored or sent as JSON, in words without its content; `undefined` where it can. Asks by writing
 * it, so that getters, proxies and `toJSON` have their say here and not where nobody knows whose value it is.
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
    if (problem !== undefined) throw new TypeError(`${name} (${kindOf(value)}) has no JSON: ${problem}`);
  }
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
