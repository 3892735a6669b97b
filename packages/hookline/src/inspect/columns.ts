/** The kinds of column, by the width of their numbers. */
const KINDS = { f64: Float64Array, f32: Float32Array, u32: Uint32Array, u16: Uint16Array, u8: Uint8Array } as const;

type Kind = keyof typeof KINDS;
type Layout = Readonly<Record<string, Kind>>;
type Column = Float64Array | Float32Array | Uint32Array | Uint16Array | Uint8Array;

const FIRST = 1024;

/** Rows of numbers in typed arrays, one for each column: about forty bytes for a moment instead of an object. */
export class Columns<L extends Layout> {
  #columns: Record<keyof L, Column>;
  readonly #layout: L;
  #room = FIRST;
  #count = 0;

  constructor(layout: L) {
    this.#layout = layout;
    this.#columns = this.#made(() => undefined);
  }

  get count(): number {
    return this.#count;
  }

  /** The size of all columns, in bytes. */
  get bytes(): number {
    return Object.values<Column>(this.#columns).reduce((all, column) => all + column.byteLength, 0);
  }

  add(row: Readonly<Record<keyof L, number>>): void {
    if (this.#count === this.#room) {
      this.#room = Math.ceil(this.#room * 1.5);
      const old = this.#columns;
      this.#columns = this.#made((name) => old[name]);
    }
    for (const name of Object.keys(this.#layout) as (keyof L)[]) this.#columns[name][this.#count] = row[name];
    this.#count += 1;
  }

  set(name: keyof L, at: number, value: number): void {
    this.#columns[name][at] = value;
  }

  get(name: keyof L, at: number): number {
    return this.#columns[name][at] as number;
  }

  /** Returns the last row whose number in an ascending column is at most `value`; -1 if there is none. */
  lastUpTo(name: keyof L, value: number): number {
    const column = this.#columns[name];
    let [low, high] = [0, this.#count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((column[middle] as number) <= value) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  #made(before: (name: keyof L) => Column | undefined): Record<keyof L, Column> {
    const made: Partial<Record<keyof L, Column>> = {};
    for (const name of Object.keys(this.#layout) as (keyof L)[]) {
      const column = new KINDS[this.#layout[name] as Kind](this.#room);
      const old = before(name);
      if (old !== undefined) column.set(old);
      made[name] = column;
    }
    return made as Record<keyof L, Column>;
  }
}

const MOST_NAMES = 0xffff;

/** Gives each name a number, from 1; 0 means no name. Names beyond the limit become "…" and share its number. */
export class Names {
  readonly #numbers = new Map<string, number>();
  readonly #names: string[] = [""];

  number(name: string | undefined): number {
    if (name === undefined) return 0;
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const isFull = this.#names.length >= MOST_NAMES;
    if (isFull && name !== "…") return this.number("…");
    this.#names.push(name);
    this.#numbers.set(name, this.#names.length - 1);
    return this.#names.length - 1;
  }

  /** Returns the number of a known name; -1 for an unknown one. */
  find(name: string): number {
    return this.#numbers.get(name) ?? -1;
  }

  name(number: number): string | undefined {
    return number === 0 ? undefined : this.#names[number];
  }

  get all(): readonly string[] {
    return this.#names.slice(1);
  }
}

/** Returns a hash of 53 bits; two different texts hardly ever have the same. */
export function keyOf(text: string): number {
  let [low, high] = [0xdeadbeef, 0x41c6ce57];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    low = Math.imul(low ^ code, 2654435761);
    high = Math.imul(high ^ code, 1597334677);
  }
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  return 4294967296 * (2097151 & high) + (low >>> 0);
}
