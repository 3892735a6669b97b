import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readJson } from "../../src/decode/json.ts";
import { scanJson } from "../../src/decode/scan.ts";

/** Names that mean something to careless code are as likely as all others together. */
const name = fc.oneof(
  fc.constantFrom("__proto__", "constructor", "prototype", "toString"),
  fc.string({ unit: "binary" }),
);
const { tree: json } = fc.letrec((tie) => ({
  tree: fc.oneof({ maxDepth: 6 }, fc.jsonValue({ maxDepth: 1 }), fc.array(tie("tree")), tie("object")),
  object: fc.array(fc.tuple(name, tie("tree"))).map((members) => {
    const object: Record<string, unknown> = Object.create(null);
    for (const [key, value] of members) object[key] = value;
    return object;
  }),
}));
const spacing = fc.constantFrom(undefined, 0, 2, "\t");

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function objectsIn(value: unknown): object[] {
  return typeof value === "object" && value !== null ? [value, ...Object.values(value).flatMap(objectsIn)] : [];
}

describe("reading JSON", () => {
  it("reads what JSON.parse reads, and leaves out nothing but __proto__", () => {
    fc.assert(
      fc.property(json, spacing, (value, space) => {
        const text = JSON.stringify(value, null, space);
        const reading = readJson(text);
        const kept = JSON.parse(text, function (this: object, key, member) {
          return key === "__proto__" ? undefined : member;
        });
        expect(reading).toMatchObject({ ok: true, duplicates: [] });
        expect(reading.ok && reading.value).toEqual(kept);
      }),
      { numRuns: 1000 },
    );
  });

  it("keeps every member of a bare object, whatever its name", () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = JSON.stringify(value);
        const reading = readJson(text, { objects: "bare" });
        expect(reading.ok && JSON.stringify(reading.value)).toBe(text);
      }),
    );
  });

  it.each(["plain", "bare"] as const)("changes no prototype: %s", (objects) => {
    const names = Object.getOwnPropertyNames(Object.prototype);
    fc.assert(
      fc.property(json, (value) => {
        const reading = readJson(JSON.stringify(value), { objects });
        for (const one of objectsIn(reading.ok ? reading.value : undefined)) {
          if (Array.isArray(one)) continue;
          expect(Object.getPrototypeOf(one)).toBe(objects === "bare" ? null : Object.prototype);
        }
        // Even a careless copy is harmless.
        if (objects === "plain" && reading.ok) {
          expect(Object.getPrototypeOf(Object.assign({}, reading.value))).toBe(Object.prototype);
        }
      }),
      { numRuns: 1000 },
    );
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(names);
  });

  it("finds __proto__ under every spelling, and counts it", () => {
    const reading = readJson('{"a":[{"__proto__":{"x":1}}],"\\u005f_proto__":1,"_\\u005Fproto__":2,"constructor":3}');
    expect(reading).toEqual({ ok: true, value: { a: [{}], constructor: 3 }, duplicates: ["/__proto__"], left: 2 });
  });

  it("accepts exactly the texts that JSON.parse accepts", () => {
    const damaged = fc
      .tuple(
        json,
        fc.nat(),
        fc.constantFrom("", ",", "}", "]", '"', "\\", "0", "-", ".", "e", " ", "\ufeff", "\u0000", "t"),
      )
      .map(([value, at, put]) => {
        const text = JSON.stringify(value) ?? "null";
        const cut = at % (text.length + 1);
        return text.slice(0, cut) + put + text.slice(cut + (at % 2));
      });
    const nearJson = fc.string({ unit: fc.constantFrom(...'{}[]",:0123456789.eE+-\\u nulltrfas\n\t\ud800x') });
    fc.assert(
      fc.property(fc.oneof(damaged, nearJson, fc.string()), (text) => {
        const { flaw } = scanJson(text, 256);
        expect(flaw === undefined).toBe(parses(text));
      }),
      { numRuns: 1000 },
    );
  });

  it("never throws for bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const reading = readJson(bytes);
        expect(typeof reading.ok).toBe("boolean");
      }),
      { numRuns: 1000 },
    );
  });

  it("reads the same from bytes as from text", () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = JSON.stringify(value);
        expect(readJson(Buffer.from(text))).toEqual(readJson(Buffer.from(text).toString()));
      }),
    );
  });

  it.each([
    ["", "there is no JSON value"],
    [" \n", "there is no JSON value"],
    ['{"a":', "the JSON value is cut off"],
    ['{"secret":\n tru}', "it is not JSON at line 2, column 2"],
    ["{} {}", "it is not JSON at line 1, column 4"],
    ["log line\n{}", "it is not JSON at line 1, column 1"],
    ["\ufeff\ufeff{}", "it is not JSON at line 1, column 1"],
    ["{'a':1}", "it is not JSON at line 1, column 2"],
    ["[1,]", "it is not JSON at line 1, column 4"],
    ["NaN", "it is not JSON at line 1, column 1"],
    ["01", "it is not JSON at line 1, column 2"],
    ['"a\nb"', "it is not JSON at line 1, column 1"],
  ])("names the place and not the text: %j", (text, message) => {
    expect(readJson(text)).toEqual({ ok: false, problem: "syntax", message });
  });

  it("refuses bytes that are not UTF-8", () => {
    expect(readJson(Buffer.from([0x22, 0xc3, 0x28, 0x22]))).toMatchObject({ ok: false, problem: "not-utf8" });
  });

  it.each([
    ["lists", "[", "]"],
    ["objects", '{"a":', "}"],
  ])("reads %s to the limit and no deeper", (_, open, close) => {
    const nested = (depth: number): string => `${open.repeat(depth)}${open === "[" ? "" : "1"}${close.repeat(depth)}`;
    expect(readJson(nested(256)).ok).toBe(true);
    expect(readJson(nested(257))).toMatchObject({ ok: false, problem: "too-deep" });
    expect(readJson(nested(3), { maxDepth: 2 })).toMatchObject({ ok: false, problem: "too-deep" });
  });

  it("refuses millions of levels without being hurt", () => {
    for (const text of ["[".repeat(8_000_000), '{"":'.repeat(2_000_000), `"${"[".repeat(8_000_000)}`]) {
      expect(readJson(text).ok).toBe(false);
    }
  });

  it("counts bytes, not characters", () => {
    expect(readJson('"ééé"', { maxBytes: 8 }).ok).toBe(true);
    expect(readJson('"ééé"', { maxBytes: 7 })).toMatchObject({ ok: false, problem: "too-large" });
    expect(readJson(" ".repeat(8 * 1024 * 1024 + 1))).toMatchObject({ ok: false, problem: "too-large" });
  });

  it("reads a long string", () => {
    const text = JSON.stringify('\\"x\n'.repeat(1_000_000));
    expect(readJson(text)).toEqual({ ok: true, value: JSON.parse(text), duplicates: [], left: 0 });
  });

  it("reports each name that stands twice in one object, by its place", () => {
    const text = '{"a":1,"b":[{"x":1,"x":2},{"x":1}],"\\u0061":2,"c/d~":{"y":0,"y":0},"a":3}';
    expect(readJson(text)).toMatchObject({
      ok: true,
      value: { a: 3, b: [{ x: 2 }, { x: 1 }], "c/d~": { y: 0 } },
      duplicates: ["/b/0/x", "/a", "/c~1d~0/y", "/a"],
    });
  });

  it("stops counting names at a hundred", () => {
    const reading = readJson(`{${Array.from({ length: 500 }, () => '"a":1').join()}}`);
    expect(reading.ok && reading.duplicates).toHaveLength(100);
  });
});
