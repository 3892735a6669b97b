import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JSON_LIMITS, readJson } from "../../src/dialect/json.ts";

const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);

describe("readJson", () => {
  it("reads every JSON value as JSON.parse does", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const read = readJson(text);
        expect(read).toMatchObject({ ok: true, repeated: [] });
        expect(read.ok && JSON.stringify(read.value)).toBe(
          JSON.stringify(JSON.parse(text, (key, item) => (key === "__proto__" ? undefined : item))),
        );
      }),
    );
  });

  it("never throws, and refuses exactly what JSON.parse refuses", () => {
    const pieces = fc.array(fc.constantFrom("{", "}", "[", "]", '"', "\\", ":", ",", "1", "a", " ", '"k"', "null"));
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          pieces.map((all) => all.join("")),
        ),
        (text) => {
          let valid = true;
          try {
            JSON.parse(text);
          } catch {
            valid = false;
          }
          return readJson(text).ok === valid;
        },
      ),
      { numRuns: 2000 },
    );
  });

  it.each([
    ["prose before it", 'note {"a":1}'],
    ["two values", "{} {}"],
    ["two byte order marks", '\uFEFF\uFEFF{"a":1}'],
    ["text behind it", '{"a":1} done'],
    ["nothing", " "],
  ])("refuses %s", (_, text) => {
    expect(readJson(text).ok).toBe(false);
  });

  it("accepts 256 levels and names the limit at 257 and at four million", () => {
    expect(readJson(nested(JSON_LIMITS.depth)).ok).toBe(true);
    for (const depth of [257, 4_000_000])
      expect(readJson(nested(depth))).toEqual({
        ok: false,
        problem: "it is nested deeper than 256 levels",
      });
  });

  it("does not count brackets inside strings", () => {
    expect(readJson(JSON.stringify({ a: '[{"\\'.repeat(300) })).ok).toBe(true);
  });

  it("refuses more than 8 MiB, counted in bytes", () => {
    const wide = "é".repeat(JSON_LIMITS.bytes / 2);
    expect(readJson(`"${wide}"`)).toEqual({ ok: false, problem: "it is longer than 8 MiB", isOverLimit: true });
    expect(readJson(`"${wide.slice(1)}"`).ok).toBe(true);
  });

  it("leaves __proto__ keys out at any depth, says so, and touches no prototype", () => {
    const read = readJson('{"__proto__":{"action":"stop"},"a":[{"\\u005f_proto__":1,"b":2}]}');
    expect(read).toEqual({
      ok: true,
      value: { a: [{ b: 2 }] },
      repeated: [],
      notes: ['a "__proto__" key was left out'],
    });
    expect(({} as Record<string, unknown>)["action"]).toBeUndefined();
  });

  it("names keys that the top-level object states twice", () => {
    expect(readJson('{"a":"a","b":{"a":1,"a":2},"\\u0061":2}')).toMatchObject({ value: { a: 2 }, repeated: ["a"] });
  });

  it("quotes nothing of the text in its problems", () => {
    const read = readJson('{"secret-value": oops}');
    expect(JSON.stringify(read)).not.toContain("secret");
  });
});
