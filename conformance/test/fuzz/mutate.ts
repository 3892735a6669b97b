import type { Chance } from "../../../prove/stage/chance.ts";

const deep = (depth: number): unknown => (depth === 0 ? 1 : [deep(depth - 1)]);

/** Makers of unexpected values. */
const ODD: readonly (() => unknown)[] = [
  () => null,
  () => true,
  () => 0,
  () => -1.5,
  () => 1e308,
  () => "",
  () => "x".repeat(70_000),
  () => "\u0000\u001b[2J\ud800",
  () => [],
  () => [null],
  () => ({}),
  () => [[{}]],
  () => deep(300),
  () => JSON.parse('{"__proto__":{"block":true},"constructor":{"prototype":{"action":"stop"}}}'),
  () => JSON.parse('{"toString":1,"length":3,"then":1}'),
];
/** Makers of unexpected values that JSON cannot express, for values within the process. */
const ALIVE: readonly (() => unknown)[] = [
  () => undefined,
  () => Number.NaN,
  () => 10n,
  () => Symbol("x"),
  () => () => ({ block: true }),
  () => new Date(Number.NaN),
  () => new Map([["block", true]]),
  () => Object.create(null),
  () => new Proxy({}, { get: () => "x", has: () => true, ownKeys: () => ["block"] }),
  () => Object.freeze({ block: true }),
];
const KEYS = ["__proto__", "constructor", "toString", "", "0", "length", "block", "action", "then"] as const;

/** Returns a copy of a value with one to three random changes; `alive` also inserts what JSON cannot express. */
export function mutated(value: unknown, chance: Chance, alive: boolean): unknown {
  let result: unknown = value;
  for (let left = 1 + chance.below(3); left > 0; left--) result = changed(result, chance, alive, 4);
  return result;
}

function odd(chance: Chance, alive: boolean): unknown {
  return chance.of(alive ? [...ODD, ...ALIVE] : ODD)();
}

function changed(value: unknown, chance: Chance, alive: boolean, depth: number): unknown {
  if (!isPlain(value) && !Array.isArray(value)) return chance.below(4) === 0 ? value : odd(chance, alive);
  const keys = Object.keys(value);
  const what = chance.below(depth === 0 ? 4 : 8);
  if (what === 0) return odd(chance, alive);
  const key = keys.length === 0 ? chance.of(KEYS) : chance.of(keys);
  if (Array.isArray(value)) return changedList(value, Number(key) || 0, what, chance, alive, depth);
  if (what === 1) return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
  const name = what === 2 ? chance.of(KEYS) : key;
  const inner = what < 4 ? odd(chance, alive) : changed(value[key], chance, alive, depth - 1);
  // A key named __proto__ must become a key, not the prototype.
  return Object.defineProperty({ ...value }, name, {
    value: inner,
    enumerable: true,
    writable: true,
    configurable: true,
  });
}

function changedList(
  list: readonly unknown[],
  at: number,
  what: number,
  chance: Chance,
  alive: boolean,
  depth: number,
): unknown[] {
  if (what === 1) return list.toSpliced(at, 1);
  if (what === 2) return [...list, ...list];
  if (what === 3 || list.length === 0) return list.toSpliced(at, 0, odd(chance, alive));
  return list.with(at, changed(list[at], chance, alive, depth - 1));
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  return Object.getPrototypeOf(value) === Object.prototype;
}

const PIECES = [
  '"',
  "{",
  "}",
  "[",
  "]",
  ":",
  ",",
  "\\",
  "\\u",
  "\ud83d",
  "\u0000",
  "\n",
  "\t",
  "- ",
  "&a ",
  "*a",
  "|",
  "#",
  "!!",
  "%",
  "e9",
  "-",
];

/** Returns a text with a few bytes or characters removed, inserted, doubled or swapped; or only random bytes. */
export function mangled(text: string, chance: Chance): string {
  if (chance.below(6) === 0) return noise(chance.below(200), chance);
  let result = text;
  for (let left = 1 + chance.below(4); left > 0; left--) {
    const at = chance.below(result.length + 1);
    const length = chance.below(12);
    switch (chance.below(5)) {
      case 0:
        result = result.slice(0, at);
        break;
      case 1:
        result = result.slice(0, at) + result.slice(at + length);
        break;
      case 2:
        result = result.slice(0, at) + chance.of(PIECES) + result.slice(at);
        break;
      case 3:
        result = result.slice(0, at) + result.slice(at, at + length).repeat(2 + chance.below(3)) + result.slice(at);
        break;
      default:
        result = result.slice(0, at) + noise(length, chance) + result.slice(at);
    }
  }
  return result;
}

/** Returns random bytes, decoded as UTF-8. */
function noise(length: number, chance: Chance): string {
  return Buffer.from(Array.from({ length }, () => chance.below(256))).toString("utf8");
}
