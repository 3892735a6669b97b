/** An unexpected value, made again for each trial. */
export interface Awkward {
  readonly name: string;
  make(): unknown;
}

const thrower = (): never => {
  throw new Error("looked at");
};

function nested(depth: number): unknown {
  let value: unknown = "core";
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { in: value };
  return value;
}

function circular(): unknown {
  const value: Record<string, unknown> = { name: "circle" };
  value["self"] = value;
  return value;
}

const throwingTraps = new Proxy({}, { get: () => thrower }) as ProxyHandler<object>;

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

/** Values that an in-process handler may return. */
export const VALUES: readonly Awkward[] = [
  { name: "nothing", make: () => undefined },
  { name: "null", make: () => null },
  { name: "false", make: () => false },
  { name: "not a number", make: () => Number.NaN },
  { name: "infinity", make: () => Number.POSITIVE_INFINITY },
  { name: "minus zero", make: () => -0 },
  { name: "a BigInt", make: () => 10n },
  { name: "a BigInt in a list", make: () => [{ type: "text", text: 10n }] },
  { name: "a BigInt in a record", make: () => ({ type: "text", n: 10n }) },
  { name: "a symbol", make: () => Symbol("odd") },
  { name: "a record with symbols", make: () => ({ [Symbol("odd")]: Symbol("odd"), in: Symbol("odd") }) },
  { name: "a function", make: () => () => undefined },
  { name: "a class", make: () => class Odd {} },
  { name: "a date that is none", make: () => new Date(Number.NaN) },
  { name: "a map", make: () => new Map([[{}, 1n]]) },
  { name: "a typed array", make: () => new BigInt64Array(3) },
  { name: "a boxed text", make: () => Object("boxed") as unknown },
  { name: "a boxed BigInt", make: () => Object(1n) as unknown },
  { name: "a text with half a pair", make: () => "half \ud800 a pair\u0000" },
  { name: "a text of 1 MB", make: () => "x".repeat(1_000_000) },
  { name: "a list of 1,000,000 numbers", make: () => new Array(1_000_000).fill(7) },
  { name: "a list with holes", make: () => Object.assign([1], { 5: 2, extra: 3 }) },
  { name: "5,000 levels", make: () => nested(5000) },
  { name: "a value in itself", make: circular },
  { name: "no prototype", make: () => Object.assign(Object.create(null) as object, { type: "text", text: "bare" }) },
  { name: "an own __proto__", make: () => JSON.parse('{"__proto__":{"block":true},"type":"text"}') as unknown },
  { name: "a property that throws", make: () => Object.defineProperty({}, "text", { get: thrower, enumerable: true }) },
  { name: "a toJSON that throws", make: () => ({ toJSON: thrower }) },
  { name: "a toJSON that gives a BigInt", make: () => ({ toJSON: () => 1n }) },
  { name: "a proxy whose traps throw", make: () => new Proxy({}, throwingTraps) },
  { name: "a revoked proxy", make: revoked },
  // biome-ignore lint/suspicious/noThenProperty: that is what is tried
  { name: "something with a then", make: () => ({ then: 1, type: "text" }) },
];

/** Texts that a program may print as a value: JSON, valid or not. */
export const TEXTS: readonly (readonly [name: string, text: string])[] = [
  ["null", "null"],
  ["false", "false"],
  ["minus zero", "-0"],
  ["a number too large", "1e400"],
  ["a number too exact", "9007199254740993"],
  ["a hundred digits", "7".repeat(100)],
  ["a small fraction", "1e-400"],
  ["an empty text", '""'],
  ["a text of blanks", '" \\n\\t"'],
  ["a NUL", '"\\u0000"'],
  ["half a pair", '"\\ud800"'],
  ["control characters", '"\\u001b[2J\\u0007\\u202e"'],
  ["a text of 1 MB", `"${"x".repeat(1_000_000)}"`],
  ["an empty list", "[]"],
  ["a list of nothing", "[null,null]"],
  ["a mixed list", '[1,"a",null,{},[]]'],
  ["a list of 1,000,000 numbers", `[${"7,".repeat(999_999)}7]`],
  ["256 levels", `${"[".repeat(200)}${"]".repeat(200)}`],
  ["5,000 levels", `${"[".repeat(5000)}${"]".repeat(5000)}`],
  ["an empty record", "{}"],
  ["an own __proto__", '{"__proto__":{"block":true}}'],
  ["an own constructor", '{"constructor":{"prototype":{"x":1}}}'],
  ["a name twice", '{"a":1,"a":2}'],
  ["an own toJSON", '{"toJSON":"x"}'],
  ["an own then", '{"then":"x"}'],
  ["an own length", '{"length":1000000000}'],
  ["a record of 10,000 names", `{${Array.from({ length: 10_000 }, (_, i) => `"k${i}":1`).join(",")}}`],
  ["no JSON: NaN", "NaN"],
  ["no JSON: a comma too many", "[1,]"],
  ["no JSON: undefined", "undefined"],
];
