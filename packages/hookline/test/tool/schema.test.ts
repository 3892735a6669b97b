import { Type, validateToolArguments } from "@earendil-works/pi-ai";
import * as fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import type { ParameterSchema } from "../../src/provider/provider.ts";
import { validateArguments } from "../../src/tool/schema.ts";

/** The result or the error text, so that two validators can be compared. */
function outcome(run: () => unknown): unknown {
  try {
    return { value: run() };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

function ours(parameters: object, args: unknown): unknown {
  return outcome(() => validateArguments({ name: "t", parameters: parameters as ParameterSchema }, args));
}

function reference(parameters: object, args: unknown): unknown {
  const tool = { name: "t", description: "", parameters: parameters as any };
  return outcome(() => validateToolArguments(tool, { type: "toolCall", id: "1", name: "t", arguments: args as any }));
}

const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

describe("simple mistakes of type are corrected", () => {
  test.each([
    ["a number in text", { type: "number" }, "5", 5],
    ["a number with spaces", { type: "number" }, " 1.5 ", 1.5],
    ["a whole number in text", { type: "integer" }, "7", 7],
    ["true in text", { type: "boolean" }, "true", true],
    ["one for true", { type: "boolean" }, 1, true],
    ["a number for text", { type: "string" }, 12, "12"],
    ["a number in a list", { type: "array", items: { type: "number" } }, ["1", 2], [1, 2]],
    ["a number in an object", object({ a: { type: "number" } }), { a: "3" }, { a: 3 }],
    ["the first member of a union that fits", { anyOf: [{ type: "number" }, { type: "null" }] }, "4", 4],
    ["nothing, when a member of a union fits", { type: ["string", "number"] }, "4", "4"],
  ])("%s", (_name, schema, given, expected) => {
    expect(ours(object({ v: schema }, { required: ["v"] }), { v: given })).toEqual({ value: { v: expected } });
  });

  test("null for an optional field is left out, null for a required field is not", () => {
    const schema = object({ a: { type: "array" }, b: { type: "array" } }, { required: ["b"] });
    expect(ours(schema, { a: null, b: [] })).toEqual({ value: { b: [] } });
    expect(ours(schema, { b: null })).toEqual({ error: expect.stringContaining("  - b: must be array") });
  });

  test("the given arguments are not changed", () => {
    const args = { v: "5", n: null };
    validateArguments(
      { name: "t", parameters: { type: "object", properties: { v: { type: "number" }, n: { type: "number" } } } },
      args,
    );
    expect(args).toEqual({ v: "5", n: null });
  });

  test("a key named __proto__ stays a key", () => {
    const parameters: ParameterSchema = { type: "object", additionalProperties: { type: "number" } };
    const value = validateArguments({ name: "t", parameters }, JSON.parse('{"__proto__": "1"}'));
    expect(JSON.stringify(value)).toBe('{"__proto__":1}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});

describe("errors name the tool, each fault and the arguments", () => {
  test("text of the error", () => {
    const schema = object({ path: { type: "string" }, limit: { type: "number" } }, { required: ["path"] });
    expect(() => validateArguments({ name: "read", parameters: schema as ParameterSchema }, { limit: "x" })).toThrow(
      new Error(
        'Validation failed for tool "read":\n' +
          "  - path: must have required properties path\n" +
          "  - limit: must be number\n\n" +
          'Received arguments:\n{\n  "limit": "x"\n}',
      ),
    );
  });

  test("arguments that are not an object", () => {
    expect(ours(object({}), "text")).toEqual({
      error: 'Validation failed for tool "t":\n  - root: must be object\n\nReceived arguments:\n"text"',
    });
  });

  test("at most eight faults are listed", () => {
    const properties = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`k${index}`, { type: "number" }]));
    const args = Object.fromEntries(Object.keys(properties).map((key) => [key, "x"]));
    const { error } = ours(object(properties), args) as { error: string };
    expect(error.match(/^ {2}- /gm)).toHaveLength(8);
  });

  test("a schema that refers to itself forever accepts nothing, and validation ends", () => {
    expect(ours(object({ v: { $ref: "#/$defs/a" } }, { $defs: { a: { $ref: "#/$defs/a" } } }), { v: 1 })).toEqual({
      error: expect.stringContaining("  - v: schema is false"),
    });
  });

  test("the characters of a text are counted only where a limit needs it", () => {
    const count = vi.spyOn(Intl.Segmenter.prototype, "segment");
    const text = "é\n".repeat(10);
    for (const limits of [{}, { maxLength: 40 }, { pattern: "é" }])
      expect(ours(object({ v: { type: "string", ...limits } }), { v: text })).toEqual({ value: { v: text } });
    expect(count).not.toHaveBeenCalled();
    expect(ours(object({ v: { type: "string", minLength: 21 } }), { v: text })).toHaveProperty("error");
    expect(count).toHaveBeenCalled();
    count.mockRestore();
  });

  test("a pattern that cannot be read accepts everything", () => {
    expect(ours(object({ v: { type: "string", pattern: "(" } }), { v: "x" })).toEqual({ value: { v: "x" } });
  });
});

describe("the same as the validator of pi-ai", () => {
  const cases: [string, object, unknown][] = [
    ["a required key inside", object({ a: object({ b: {} }, { required: ["b"] }) }), { a: {} }],
    ["two missing keys", object({}, { required: ["a", "b"] }), {}],
    ["an additional key", object({ a: {} }, { additionalProperties: false }), { a: 1, extra: 1, other: 2 }],
    ["an additional key of the wrong type", object({}, { additionalProperties: { type: "boolean" } }), { a: "no" }],
    [
      "a key by pattern",
      object({}, { patternProperties: { "^x": { type: "number" } }, additionalProperties: false }),
      { x1: "a", y: 1 },
    ],
    ["names of keys", object({}, { propertyNames: { maxLength: 2 } }), { abc: 1 }],
    ["number of keys", object({}, { minProperties: 2 }), { a: 1 }],
    ["dependent keys", object({}, { dependentRequired: { a: ["b", "c"] } }), { a: 1, b: 1 }],
    ["enum", object({ v: { enum: ["a", "b"] } }), { v: "c" }],
    ["const", object({ v: { const: 1 } }), { v: "1" }],
    ["const object", object({ v: { const: { a: [1] } } }), { v: { a: [1] } }],
    ["anyOf", object({ v: { anyOf: [{ type: "number" }, { type: "array" }] } }), { v: "x" }],
    ["oneOf with none", object({ v: { oneOf: [{ type: "number" }, { type: "array" }] } }), { v: "x" }],
    ["oneOf with two", object({ v: { oneOf: [{ type: "number" }, { minimum: 0 }] } }), { v: 3 }],
    ["allOf", object({ v: { allOf: [{ type: "number" }, { minimum: 5 }] } }), { v: "3" }],
    ["not", object({ v: { not: { type: "string" } } }), { v: "x" }],
    ["if and then", object({ v: JSON.parse('{"if":{"type":"string"},"then":{"minLength":3}}') }), { v: "x" }],
    ["if and else", object({ v: { if: { type: "string" }, else: { minimum: 3 } } }), { v: 1 }],
    ["list limits", object({ v: { type: "array", minItems: 2, maxItems: 0, uniqueItems: true } }), { v: [1] }],
    ["twins", object({ v: { uniqueItems: true } }), { v: [{ a: 1 }, { a: 1 }] }],
    [
      "items",
      object({ v: { type: "array", items: object({ a: { type: "string" } }, { required: ["a"] }) } }),
      { v: [{}, { a: 1 }, "x"] },
    ],
    ["prefix items", object({ v: { prefixItems: [{ type: "number" }], items: { type: "string" } } }), { v: ["1", 2] }],
    [
      "tuple items",
      object({ v: { type: "array", items: [{ type: "number" }], additionalItems: false } }),
      { v: ["1", 2] },
    ],
    ["string limits", object({ v: { minLength: 2, maxLength: 3, pattern: "^b" } }), { v: "a" }],
    ["long string", object({ v: { maxLength: 3 } }), { v: "👩‍👩‍👧‍👦ab" }],
    ["too long string", object({ v: { maxLength: 2 } }), { v: "👩‍👩‍👧‍👦ab" }],
    ["number limits", object({ v: { exclusiveMaximum: 1, minimum: 2, multipleOf: 2 } }), { v: 1 }],
    ["other number limits", object({ v: { exclusiveMinimum: 1, maximum: 0, multipleOf: 0.1 } }), { v: 0.3 }],
    ["list of types", object({ v: { type: ["number", "boolean"] } }), { v: "x" }],
    ["reference by pointer", object({ v: { $ref: "#/$defs/n" } }, { $defs: { n: { type: "number" } } }), { v: "x" }],
    ["reference to itself", object({ v: { type: "number" }, next: { $ref: "#" } }), { next: { next: { v: [] } } }],
    [
      "optional null in a list of objects",
      object({ v: { type: "array", items: object({ a: { type: "number" } }) } }),
      { v: [{ a: null }] },
    ],
    ["null for a union with null", object({ v: { type: ["number", "null"] } }), { v: null }],
    ["empty text for a number", object({ v: { type: "number" } }), { v: "" }],
    ["a fraction for a whole number", object({ v: { type: "integer" } }), { v: 1.5 }],
    ["capitals in a boolean", object({ v: { type: "boolean" } }), { v: "TRUE" }],
    ["one value for a list", object({ v: { type: "array", items: { type: "number" } } }), { v: "1" }],
    ["built: number", Type.Object({ v: Type.Number() }), { v: "5" }],
    ["built: whole number", Type.Object({ v: Type.Integer() }), { v: 1.5 }],
    ["built: boolean", Type.Object({ v: Type.Boolean() }), { v: "TRUE" }],
    ["built: list", Type.Object({ v: Type.Array(Type.Number()) }), { v: "1" }],
    ["built: optional null", Type.Object({ v: Type.Optional(Type.Number()) }), { v: null }],
    ["built: union", Type.Object({ v: Type.Union([Type.Literal("a"), Type.Literal("b")]) }), { v: "c" }],
    ["built: missing", Type.Object({ a: Type.String(), b: Type.String() }), {}],
  ];
  test.each(cases)("%s", (_name, schema, args) => {
    expect(ours(schema, args)).toEqual(reference(schema, args));
  });

  const primitive = fc.constantFrom(
    { type: "string" },
    { type: "number" },
    { type: "integer" },
    { type: "boolean" },
    { type: "null" },
  );
  const schemas = fc.letrec<{ schema: object }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      primitive,
      fc.record({ type: fc.constant("array"), items: tie("schema") }),
      ...["anyOf", "oneOf", "allOf"].map((keyword) =>
        fc.array(tie("schema"), { minLength: 1, maxLength: 3 }).map((list) => ({ [keyword]: list })),
      ),
      fc.record({ enum: fc.uniqueArray(fc.constantFrom("1", 1, true, null), { minLength: 1 }) }),
      fc
        .tuple(fc.dictionary(fc.constantFrom("a", "b", "c"), tie("schema")), fc.subarray(["a", "b"]), fc.boolean())
        .map(([properties, required, closed]) =>
          object(properties, {
            // For a closed object with as many required keys as properties, typebox only counts the keys, and accepts a
            // required key without a schema in place of one that has a schema.
            required: closed ? required.filter((name) => Object.hasOwn(properties, name)) : required,
            ...(closed ? { additionalProperties: false } : {}),
          }),
        ),
    ),
  })).schema;
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom("", "1", "1.5", "true", "x", 0, 1, 1.5, -3, true, false, null),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("a", "b", "c", "d"), tie("value")),
    ),
  })).value;

  test("for generated schemas and arguments", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom("a", "b"), schemas),
        fc.dictionary(fc.constantFrom("a", "b", "z"), json),
        (properties, args) => {
          const schema = object(properties, { required: ["a"] });
          expect(ours(schema, args)).toEqual(reference(schema, args));
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe("a pattern that takes years on some texts", () => {
  const pattern = "^([a-zA-Z0-9]+\\.?)+@example\\.com$";
  const text = { type: "string", pattern };

  test.each<[string, object, unknown]>([
    ["of a text", object({ v: text }), { v: "a".repeat(60) }],
    ["in a union", object({ v: { anyOf: [{ type: "number" }, { not: text }] } }), { v: "a".repeat(60) }],
    ["of a name", { type: "object", patternProperties: { [pattern]: true } }, { ["a".repeat(60)]: 1 }],
  ])("%s is given up, and the call refused", (_, parameters, args) => {
    expect(ours(parameters, args)).toEqual({
      error: `The pattern "${pattern}" of the tool's schema takes too long on a text of 60 characters. Write another text.`,
    });
  });

  test("compares other texts", () => {
    expect(ours(object({ v: text }), { v: "a.b@example.com" })).toEqual({ value: { v: "a.b@example.com" } });
    expect(ours(object({ v: text }), { v: "a b" })).toMatchObject({ error: expect.stringContaining("must match") });
  });
});
