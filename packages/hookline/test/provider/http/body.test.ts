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

/** Writes a body that is sent at once. */
function sent(writer: BodyWriter, body: unknown): string {
  const { bytes, release } = writer.write(body);
  const text = bytes.toString();
  release();
  return text;
}

const inUtf8 = (body: unknown) => Buffer.from(JSON.stringify(body)).toString();

test("a body is its JSON, whatever was written before", () => {
  const writer = new BodyWriter();
  const large = { text: "x".repeat(1 << 17) };
  fc.assert(
    fc.property(value, fc.boolean(), (body, second) => {
      // Behind a large body the next is written in pieces.
      if (second) sent(writer, large);
      for (const _ of [1, 2]) expect(sent(writer, body)).toBe(inUtf8(body));
      const parts = Object.values(body);
      for (const both of [
        { body, large },
        { large, body },
        { ...body, list: [large, ...parts] },
        { list: [...parts, body, large], ...body },
      ])
        for (const _ of [1, 2]) expect(sent(writer, both)).toBe(inUtf8(both));
    }),
    { numRuns: 80 },
  );
});

test("a conversation that grows, is edited and is cut is its JSON, sent or not", () => {
  const text = fc.tuple(fc.nat(5), fc.integer({ min: 1, max: 6 })).map(([n, size]) => `é${n}`.repeat(size * 4000));
  const step = fc.record({
    how: fc.constantFrom("add", "edit", "drop", "insert"),
    at: fc.nat(20),
    text,
    small: fc.boolean(),
    releases: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 25 }), (steps) => {
      const writer = new BodyWriter();
      const messages: object[] = [];
      const tools = [{ description: "a tool ".repeat(100) }];
      const unsent: { readonly bytes: Buffer; readonly text: string }[] = [];
      for (const { how, at, text: content, small, releases } of steps) {
        const place = at % (messages.length + 1);
        if (how === "add") messages.push({ role: "user", content });
        else messages.splice(place, how === "insert" ? 0 : 1, ...(how === "drop" ? [] : [{ role: "user", content }]));
        const body = small ? { content } : { model: "m", messages, tools };
        const { bytes, release } = writer.write(body);
        expect(bytes.toString()).toBe(inUtf8(body));
        if (releases) release();
        else unsent.push({ bytes, text: inUtf8(body) });
      }
      // Nothing is written over what somebody still reads.
      for (const one of unsent) expect(one.bytes.toString()).toBe(one.text);
    }),
    { numRuns: 80 },
  );
});

test("what is changed in a message that was sent is in the next body", () => {
  const text = "x".repeat(1 << 16);
  const changes: ((message: Record<string, unknown>) => unknown)[] = [
    (message) => (message["role"] = "system"),
    (message) => (message["content"] = { text, more: undefined }),
    (message) => (message["more"] = 1),
    (message) => delete message["role"],
    (message) => ([message["role"], message["content"]] = [message["content"], message["role"]]),
    (message) => Object.assign(message, { role: undefined }),
    // The same fields in another order.
    (message) => delete message["role"] && (message["role"] = "user"),
    (message) => (message["parts"] as unknown[]).push({ odd: new Date(0) }),
    (message) => (message["parts"] as unknown[]).reverse(),
    (message) => ((message["parts"] as unknown[])[0] = []),
    (message) => ((message["parts"] as unknown[])[1] = { "0": 1 }),
    (message) => Object.assign(message["parts"] as object, { toJSON: () => "a list of another kind" }),
    (message) => Object.defineProperty(message, "toJSON", { value: () => "hidden from a list of the fields" }),
    (message) => Object.defineProperty(message, "__proto__", { value: text, enumerable: true }),
    (message) => Object.setPrototypeOf(message, { toJSON: () => "a record of another kind" }),
  ];
  for (const change of changes) {
    const writer = new BodyWriter();
    const messages = [0, 1, 2].map((i) => ({ role: "user", content: text + i, parts: [{ i }, [i]] }));
    const body = { model: "m", messages, stream: true };
    for (const _ of [1, 2, 3]) expect(sent(writer, body)).toBe(inUtf8(body));
    expect(writer.held).toBeGreaterThan(0);
    change(messages[1] as Record<string, unknown>);
    for (const _ of [1, 2]) expect(sent(writer, body)).toBe(inUtf8(body));
  }
});

test("a body's new part is appended to the last body, once that is sent", () => {
  const writer = new BodyWriter();
  const messages = Array.from({ length: 40 }, (_, i) => ({ content: `${i}`.padEnd(4000, "x") }));
  writer.write({ messages });
  const first = writer.write({ messages });
  first.release();
  messages.push({ content: "new ".repeat(100) });
  const second = writer.write({ messages });
  expect(second.bytes.buffer).toBe(first.bytes.buffer);
  messages.push({ content: "newer ".repeat(100) });
  const third = writer.write({ messages });
  expect(third.bytes.buffer).not.toBe(first.bytes.buffer);
});

test("kept bytes are dropped when bodies no longer use them, and never exceed a limit", () => {
  const writer = new BodyWriter();
  const large = { texts: ["a long text ".repeat(10_000)] };
  for (const _ of [1, 2]) sent(writer, large);
  expect(writer.held).toBeGreaterThan(120_000);
  for (let i = 0; i < 7; i++) sent(writer, { text: "short" });
  expect(writer.held).toBeGreaterThan(120_000);
  sent(writer, { text: "short" });
  expect(writer.held).toBe(0);
  const larger = { texts: ["x".repeat(65 << 20)] };
  for (const _ of [1, 2]) writer.write(larger).release();
  expect(writer.held).toBe(0);
});

test("a body of 20 MB reuses the previous one's memory", () => {
  const writer = new BodyWriter();
  const parts = Array.from({ length: 20 }, (_, i) => `${i}`.padEnd(1 << 20, "x"));
  writer.write({ parts }).release();
  const first = writer.write({ parts });
  first.release();
  parts.push("new ".repeat(100));
  const second = writer.write({ parts });
  expect(second.bytes.buffer === first.bytes.buffer).toBe(true);
  expect(second.bytes.equals(Buffer.from(JSON.stringify({ parts })))).toBe(true);
});

test("a value without JSON is refused", () => {
  const writer = new BodyWriter();
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  expect(() => writer.write(undefined)).toThrow(TypeError);
  expect(() => writer.write(circle)).toThrow(TypeError);
});
