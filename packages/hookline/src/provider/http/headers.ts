const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const ENDS = /^[\t\n\r ]|[\t\n\r ]$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Headers of a request or response, as in the fetch standard: names are case-insensitive, values of one name are joined
 * by a comma except for `set-cookie`, and iteration is in order of names. Node's own class would load a second HTTP
 * client.
 */
export class WireHeaders {
  readonly #values: Map<string, string[]>;

  constructor(init?: Iterable<readonly string[]> | Readonly<Record<string, string>> | null) {
    if (init instanceof WireHeaders) {
      this.#values = new Map(init.#values);
      return;
    }
    this.#values = new Map();
    if (init === undefined || init === null) return;
    const pairs = Symbol.iterator in init ? (init as Iterable<readonly string[]>) : Object.entries(init);
    for (const [name = "", value = ""] of pairs) this.append(name, value);
  }

  append(name: string, value: string): void {
    const key = checkedName(name);
    const values = this.#values.get(key);
    // Copies of the headers share the lists of values, so a list is never changed.
    this.#values.set(key, [...(values ?? []), checkedValue(name, value)]);
  }

  delete(name: string): void {
    this.#values.delete(checkedName(name));
  }

  get(name: string): string | null {
    return this.#values.get(checkedName(name))?.join(", ") ?? null;
  }

  getSetCookie(): string[] {
    return [...(this.#values.get("set-cookie") ?? [])];
  }

  has(name: string): boolean {
    return this.#values.has(checkedName(name));
  }

  set(name: string, value: string): void {
    this.#values.set(checkedName(name), [checkedValue(name, value)]);
  }

  forEach(each: (value: string, name: string, headers: this) => void): void {
    for (const [name, value] of this) each(value, name, this);
  }

  *entries(): Generator<[string, string], void, undefined> {
    for (const name of [...this.#values.keys()].sort()) {
      const values = this.#values.get(name) ?? [];
      if (name === "set-cookie") for (const value of values) yield [name, value];
      else yield [name, values.join(", ")];
    }
  }

  *keys(): Generator<string, void, undefined> {
    for (const [name] of this) yield name;
  }

  *values(): Generator<string, void, undefined> {
    for (const [, value] of this) yield value;
  }

  [Symbol.iterator](): Generator<[string, string], void, undefined> {
    return this.entries();
  }
}

function checkedName(name: string): string {
  if (!NAME.test(name)) throw new TypeError(`"${name}" cannot be the name of a header.`);
  return name.toLowerCase();
}

function checkedValue(name: string, value: string): string {
  const given = String(value);
  const text = ENDS.test(given) ? given.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, "") : given;
  if (!VALUE.test(text)) throw new TypeError(`The header ${name} has a character that no header can have.`);
  return text;
}
