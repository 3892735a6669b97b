import fc from "fast-check";
import { expect, test } from "vitest";
import { assertJson, jsonKind, jsonProblem } from "../../src/lens/has-json.ts";
import { RUNS } from "../laws/seed.ts";

const thrower = (): never => {
  throw new Error("secret");
};

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

test.each([
  [
    "a BigInt deep inside",
    () => ({ list: [{ n: 1n }] }),
    "details.list.0.n (a bigint) cannot be written as JSON: it contains a BigInt",
  ],
  [
    "a toJSON that throws",
    () => ({ odd: { toJSON: thrower } }),
    "details.odd (an object) cannot be written as JSON: something in it throws",
  ],
  [
    "a property that throws",
    () => Object.defineProperty({}, "x", { get: thrower, enumerable: true }),
    "details (an object)",
  ],
  ["a proxy without a target", () => ({ odd: revoked() }), "details.odd (an object) cannot be written as JSON"],
  [
    "a name that is a sentence",
    () => ({ "my secret is": 1n }),
    "details (an object) cannot be written as JSON: it contains a BigInt",
  ],
])("the part that has no JSON is named without its content: %s", (_, make: () => unknown, words) => {
  let said = "";
  try {
    assertJson({ sound: { a: 1 }, details: make() });
  } catch (thrown) {
    said = (thrown as Error).message;
  }
  expect(said).toContain(words);
  expect(said).not.toContain("secret");
});

test("a value that contains itself is reported, and not searched for ever", () => {
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  expect(() => assertJson({ circle })).toThrow("circle (an object) cannot be written as JSON: it contains itself");
});

test("a value has a problem exactly where writing it throws", () => {
  const anything = fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true });
  const hostile = fc.constantFrom<unknown>(
    { toJSON: thrower },
    [{ toJSON: () => 1n }],
    Object(1n),
    new Map([[1n, 1n]]),
  );
  fc.assert(
    fc.property(fc.oneof({ weight: 5, arbitrary: anything }, { weight: 1, arbitrary: hostile }), (value) => {
      let throws = false;
      try {
        JSON.stringify(value);
      } catch {
        throws = true;
      }
      expect(jsonProblem(value) !== undefined).toBe(throws);
    }),
    RUNS,
  );
});

test("a large sound list has JSON", () => {
  expect(jsonProblem(new Array(1_000_000).fill({ a: 1 }))).toBeUndefined();
});

test.each([
  ["nothing", () => undefined],
  ["null", () => null],
  ["a list", () => []],
  ["an object", revoked],
  ["a bigint", () => 1n],
  ["a symbol", () => Symbol("s")],
])("every value has a word for its type: %s", (word, make: () => unknown) => {
  expect(jsonKind(make())).toBe(word);
});
