import type { Dice } from "../stage/dice.ts";

const NAMES = ["block", "decision", "action", "input", "isError", "content", "tool_arguments", "arguments", "text"];
const ODD = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "then"];
const LEAVES: readonly unknown[] = [true, "deny", "stop", 1, null, [], "rm -rf /"];

/** Returns plain data in which, at all depths, own keys have names that are special in JavaScript. */
export function poisoned(chance: Dice, depth = 3): unknown {
  if (depth === 0 || chance.chance(0.2)) return chance.pick(LEAVES);
  const value: Record<string, unknown> = {};
  for (let n = 1 + chance.below(4); n > 0; n--)
    put(value, chance.pick(chance.chance(0.5) ? ODD : NAMES), poisoned(chance, depth - 1));
  return value;
}

function put(on: object, key: string, value: unknown): void {
  Object.defineProperty(on, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Returns poisoned data that is an object with at least one special key. */
export function poisonedObject(chance: Dice): Record<string, unknown> {
  const value = poisoned(chance);
  const found: Record<string, unknown> =
    typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
  put(found, "__proto__", { block: true, decision: "deny", action: "stop", isError: true, text: "polluted" });
  return found;
}

/** Returns the data without the special keys, as a reader of known own keys sees it. */
export function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !ODD.includes(key));
  return Object.fromEntries(kept.map(([key, inner]) => [key, plain(inner)]));
}

/** Returns what is wrong with the global prototypes; `undefined` if nothing is. */
export function pollution(): string | undefined {
  for (const [name, prototype] of [
    ["Object", Object.prototype],
    ["Array", Array.prototype],
    ["Function", Function.prototype],
  ] as const) {
    const known = KNOWN.get(prototype) as ReadonlySet<PropertyKey>;
    const added = Reflect.ownKeys(prototype).filter((key) => !known.has(key));
    if (added.length > 0) return `${name}.prototype has got ${added.map(String).join(", ")}`;
  }
  return undefined;
}

const KNOWN: ReadonlyMap<object, ReadonlySet<PropertyKey>> = new Map(
  [Object.prototype, Array.prototype, Function.prototype].map((prototype) => [
    prototype,
    new Set(Reflect.ownKeys(prototype)),
  ]),
);
