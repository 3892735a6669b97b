import { isDeepStrictEqual } from "node:util";
import { isOfType, isRecord, isSchema, resolveReference, type Schema, typesOf } from "./json-schema.ts";
import { mayBacktrack } from "./pattern.ts";
import { timed } from "./timed.ts";

/** One fault of a value: its path (`a/0/b`, empty for the value itself) and a description. */
export interface Fault {
  readonly at: string;
  readonly message: string;
}

/** The maximum depth of nested schemas. Only a schema that refers to itself goes deeper, and then no value is valid. */
const MAX_DEPTH = 200;
/** Time limit for all patterns of a schema, in ms. Some patterns would take years on some texts. */
const PATTERNS_MS = 1000;

/**
 * Checks a JSON value against a schema and returns every fault, in pi's wording and order. Supports types, enum, const,
 * references within the schema, combinations, and the limits of objects, lists, strings and numbers. Ignores `format`,
 * `contains` and `unevaluated*`. Throws if a pattern exceeds the time limit.
 */
export function faultsOf(value: unknown, schema: Schema, root: Schema = schema): Fault[] {
  return check(value, schema, { root, at: "", depth: 0, matches: comparison() });
}

interface SchemaPosition {
  readonly root: Schema;
  /** Whether a text matches a pattern. */
  readonly matches: (pattern: string, text: string) => boolean;
  readonly at: string;
  readonly depth: number;
}

type Keywords = Readonly<Record<string, unknown>>;

function check(value: unknown, schema: Schema, place: SchemaPosition): Fault[] {
  const fault = (message: string): Fault[] => [{ at: place.at, message }];
  if (schema === true) return [];
  if (schema === false || place.depth > MAX_DEPTH) return fault("schema is false");
  const types = typesOf(schema);
  const wrongType = types.length > 0 && !types.some((type) => isOfType(value, type));
  return [
    ...(wrongType
      ? fault(
          types.length === 1 && !Array.isArray(schema["type"])
            ? `must be ${types[0]}`
            : `must be either ${types.join(" or ")}`,
        )
      : []),
    ...(isRecord(value) ? objectFaults(value, schema, place) : []),
    ...(Array.isArray(value) ? listFaults(value, schema, place) : []),
    ...(typeof value === "string" ? stringMessages(value, schema, place).flatMap(fault) : []),
    ...(typeof value === "number" ? numberMessages(value, schema).flatMap(fault) : []),
    ...referenceFaults(value, schema, place),
    ...("const" in schema && !isDeepStrictEqual(value, schema["const"]) ? fault("must be equal to constant") : []),
    ...(Array.isArray(schema["enum"]) && !schema["enum"].some((allowed) => isDeepStrictEqual(value, allowed))
      ? fault("must be equal to one of the allowed values")
      : []),
    ...combinationFaults(value, schema, place, fault),
  ];
}

function inside(place: SchemaPosition, step: string | number): SchemaPosition {
  return { ...place, at: `${place.at}/${step}`, depth: place.depth + 1 };
}

function deeper(place: SchemaPosition): SchemaPosition {
  return { ...place, depth: place.depth + 1 };
}

function objectFaults(value: Record<string, unknown>, schema: Keywords, place: SchemaPosition): Fault[] {
  const faults: Fault[] = [];
  const say = (message: string, at = place.at) => faults.push({ at, message });
  const keys = Object.keys(value);
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const patterns = Object.entries(isRecord(schema["patternProperties"]) ? schema["patternProperties"] : {});
  const missing = stringsOf(schema["required"]).filter((key) => !Object.hasOwn(value, key));
  if (missing.length > 0) say(`must have required properties ${missing.join(", ")}`, `${place.at}/${missing[0]}`);
  const additional = schema["additionalProperties"];
  if (isSchema(additional)) {
    const others = keys.filter(
      (key) => !Object.hasOwn(properties, key) && !patterns.some(([pattern]) => place.matches(pattern, key)),
    );
    const found = others.flatMap((key) => check(value[key], additional, inside(place, key)));
    faults.push(...found);
    if (found.length > 0) say("must not have additional properties");
  }
  for (const [key, needed] of Object.entries(
    isRecord(schema["dependentRequired"]) ? schema["dependentRequired"] : {},
  )) {
    if (!Object.hasOwn(value, key)) continue;
    for (const other of stringsOf(needed)) {
      if (!Object.hasOwn(value, other))
        say(`must have properties ${stringsOf(needed).join(", ")} when property ${key} is present`);
    }
  }
  for (const [pattern, nested] of patterns) {
    for (const key of keys)
      if (isSchema(nested) && place.matches(pattern, key))
        faults.push(...check(value[key], nested, inside(place, key)));
  }
  for (const [key, nested] of Object.entries(properties)) {
    if (Object.hasOwn(value, key) && isSchema(nested)) faults.push(...check(value[key], nested, inside(place, key)));
  }
  const names = schema["propertyNames"];
  if (isSchema(names)) {
    const bad = keys
      .map((key) => ({ key, found: check(key, names, inside(place, key)) }))
      .filter(({ found }) => found.length > 0);
    faults.push(...bad.flatMap(({ found }) => found));
    if (bad.length > 0) say(`property names ${bad.map(({ key }) => key).join(", ")} are invalid`);
  }
  if (isUnder(keys.length, schema["minProperties"]))
    say(`must not have fewer than ${schema["minProperties"]} properties`);
  if (isOver(keys.length, schema["maxProperties"]))
    say(`must not have more than ${schema["maxProperties"]} properties`);
  return faults;
}

function listFaults(value: readonly unknown[], schema: Keywords, place: SchemaPosition): Fault[] {
  const say = (wrong: boolean, message: string): Fault[] => (wrong ? [{ at: place.at, message }] : []);
  const { items, prefixItems } = schema;
  const first = Array.isArray(prefixItems) ? prefixItems : [];
  const each = (schemas: readonly unknown[]) =>
    schemas.flatMap((nested, index) =>
      index < value.length && isSchema(nested) ? check(value[index], nested, inside(place, index)) : [],
    );
  const rest = Array.isArray(items) ? schema["additionalItems"] : items;
  const from = Array.isArray(items) ? items.length : first.length;
  return [
    ...(Array.isArray(items) ? each(items) : []),
    ...(isSchema(rest)
      ? value.slice(from).flatMap((item, index) => check(item, rest, inside(place, from + index)))
      : []),
    ...say(isOver(value.length, schema["maxItems"]), `must not have more than ${schema["maxItems"]} items`),
    ...say(isUnder(value.length, schema["minItems"]), `must not have fewer than ${schema["minItems"]} items`),
    ...each(first),
    ...say(schema["uniqueItems"] === true && hasTwins(value), "must not have duplicate items"),
  ];
}

function stringMessages(value: string, schema: Keywords, { matches }: SchemaPosition): string[] {
  const { maxLength, minLength, pattern } = schema;
  const messages: string[] = [];
  if (typeof maxLength === "number" && value.length > maxLength && characters(value) > maxLength) {
    messages.push(`must not have more than ${maxLength} characters`);
  }
  // Counting the characters of a long text takes time, and most schemas have no such limit.
  if (typeof minLength === "number" && characters(value) < minLength)
    messages.push(`must not have fewer than ${minLength} characters`);
  if (typeof pattern === "string" && !matches(pattern, value)) messages.push(`must match pattern "${pattern}"`);
  return messages;
}

function numberMessages(value: number, schema: Keywords): string[] {
  const limits = [
    ["exclusiveMaximum", "<", (limit: number) => value < limit],
    ["exclusiveMinimum", ">", (limit: number) => value > limit],
    ["maximum", "<=", (limit: number) => value <= limit],
    ["minimum", ">=", (limit: number) => value >= limit],
  ] as const;
  const messages = limits.flatMap(([keyword, sign, holds]) => {
    const limit = schema[keyword];
    return typeof limit === "number" && !holds(limit) ? [`must be ${sign} ${limit}`] : [];
  });
  const step = schema["multipleOf"];
  const isOff = typeof step === "number" && Math.abs(value / step - Math.round(value / step)) > 1e-10;
  return isOff ? [...messages, `must be multiple of ${step}`] : messages;
}

function referenceFaults(value: unknown, schema: Keywords, place: SchemaPosition): Fault[] {
  const reference = schema["$ref"];
  return typeof reference === "string" ? check(value, resolveReference(reference, place.root), deeper(place)) : [];
}

function combinationFaults(
  value: unknown,
  schema: Keywords,
  place: SchemaPosition,
  fault: (message: string) => Fault[],
): Fault[] {
  const under = (nested: unknown) => (isSchema(nested) ? check(value, nested, deeper(place)) : []);
  const each = (keyword: string) => (Array.isArray(schema[keyword]) ? schema[keyword].map(under) : undefined);
  const faults: Fault[] = [];
  if (isSchema(schema["if"])) {
    const branch = under(schema["if"]).length === 0 ? "then" : "else";
    const found = under(schema[branch]);
    if (found.length > 0) faults.push(...(branch === "else" ? found : []), ...fault(`must match "${branch}" schema`));
  }
  if (isSchema(schema["not"]) && under(schema["not"]).length === 0) faults.push(...fault("must not be valid"));
  faults.push(...(each("allOf") ?? []).flat());
  const any = each("anyOf");
  if (any?.every((found) => found.length > 0)) faults.push(...any.flat(), ...fault("must match a schema in anyOf"));
  const one = each("oneOf");
  const passing = one?.filter((found) => found.length === 0).length;
  if (one && passing !== 1)
    faults.push(...(passing === 0 ? one.flat() : []), ...fault("must match exactly one schema in oneOf"));
  return faults;
}

/**
 * Makes the function that compares a text with a pattern. It throws once all patterns together exceed the time limit.
 */
function comparison(): SchemaPosition["matches"] {
  const known = new Map<string, RegExp>();
  const within = timed(PATTERNS_MS, (expression: RegExp, text: string) => expression.test(text));
  return (pattern, text) => {
    const expression = known.get(pattern) ?? expressionOf(pattern);
    known.set(pattern, expression);
    const found = mayBacktrack(expression) ? within(expression, text) : expression.test(text);
    if (found !== undefined) return found;
    const about = `The pattern "${pattern}" of the tool's schema takes too long`;
    throw new Error(`${about} on a text of ${text.length} characters. Write another text.`);
  };
}

/** An invalid pattern accepts everything, because it is a fault of the tool and not of the call. */
function expressionOf(pattern: string): RegExp {
  for (const flags of ["u", ""]) {
    try {
      return new RegExp(pattern, flags);
    } catch {}
  }
  return /(?:)/;
}

function stringsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function isUnder(count: number, limit: unknown): boolean {
  return typeof limit === "number" && count < limit;
}

function isOver(count: number, limit: unknown): boolean {
  return typeof limit === "number" && count > limit;
}

function hasTwins(list: readonly unknown[]): boolean {
  return list.some((item, index) => list.slice(0, index).some((other) => isDeepStrictEqual(item, other)));
}

let segmenter: Intl.Segmenter | undefined;

/** Counts characters as people do. Making the segmenter takes ten milliseconds, so it is done at the first use. */
function characters(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return [...segmenter.segment(text)].length;
}
