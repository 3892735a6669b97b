import fc from "fast-check";
import { expect, test } from "vitest";
import { BodyWriter } from "../../../src/provider/http/body.ts";

const long = fc.oneof(
  fc.string({ unit: "binary", minLength: 250, maxLength: 300 }),
  fc.constantFrom("x".repeat(256), '"\\\n'.repeat(200), "日é👋".repeat(100), "\ud800".repeat(300)),
);
const odd = fc.constantFrom<unknown>(undefined, Number.NaN, () => 1, new Date(0), { toJSON: () => "y".repeat(400) });
const value = fc.letrec((tie) => ({
  any: fc.oneof({ maxDepth: 4 }, fc.jsonValue(), long, odd, tie("list"), tie("record")),
  list: fc.array(tie("any"), { maxLength: 5 }),
  record: fc.dictionary(fc.oneof(fc.string(), long), tie("any"), { maxKeys: 5 }),
})).record;

test("a body is what JSON makes of it, whatever was written before", () => {
  const writer = new BodyWriter();
  const large = { text: "x".repeat(1 << 17) };
  fc.assert(
    fc.property(value, fc.boolean(), (body, second) => {
      // Behind a large body the next is written in pieces.
      if (second) writer.write(large);
      const expected = Buffer.from(JSON.stringify(body)).toString();
      for (const _ of [1, 2]) expect(writer.write(body).toString()).toBe(expected);
      const both = { body, large };
      for (const _ of [1, 2]) expect(writer.write(both).toString()).toBe(Buffer.from(JSON.stringify(both)).toString());
    }),
    { numRuns: 1000 },
  );
});

test("the bytes of a text are made once, and forgotten when bodies do without it", () => {
  const writer = new BodyWriter();
  let asked = 0;
  const text = "a long text ".repeat(10_000);
  writer.write(text);
  const message = {
    get content() {
      asked += 1;
      return text;
    },
  };
  const first = writer.write({ messages: [message] });
  expect(writer.write({ messages: [message, { content: "short" }] }).subarray(0, first.length - 2)).toEqual(
    first.subarray(0, -2),
  );
  expect(asked).toBe(2);
  expect(writer.held).toBe(text.length + 2);
  for (let i = 0; i < 20; i++) writer.write({ messages: ["another ".repeat(10_000)] });
  expect(writer.held).toBe("another ".length * 10_000 + 2);
});

test("of more than it may hold it keeps a part, and writes all the same", () => {
  const writer = new BodyWriter();
  const body = { parts: Array.from({ length: 30 }, (_, i) => `${i}`.padEnd(1 << 20, "x")) };
  for (const _ of [1, 2, 3]) expect(writer.write(body).equals(Buffer.from(JSON.stringify(body)))).toBe(true);
  expect(writer.held).toBeGreaterThan(8 << 20);
  expect(writer.held).toBeLessThanOrEqual(16 << 20);
});

test("what has no JSON is refused", () => {
  const writer = new BodyWriter();
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  expect(() => writer.write(undefined)).toThrow(TypeError);
  expect(() => writer.write(circle)).toThrow(TypeError);
});
