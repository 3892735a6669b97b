import { faultsOf } from "./check.ts";
import { isOfType, isRecord, isSchema, resolveReference, type Schema, typesOf } from "./json-schema.ts";

/**
 * Converts a JSON value to what a schema wants, in place and in simple cases only; returns the value. For example `"5"`
 * becomes a number, `"true"` a boolean, and `null` for an optional field is removed. All other mismatches are left for
 * the check to report. Source: spec/pi.md 2.1 and 5.2; `validateToolArguments` of pi-ai 0.87.1.
 */
export function coerce(value: unknown, schema: Schema): unknown {
  dropOptionalNulls(value, schema, schema);
  return convert(value, schema, { root: schema, depth: 0 });
}

interface SchemaPosition {
  readonly root: Schema;
  readonly depth: number;
}

const MAX_DEPTH = 200;

function dropOptionalNulls(value: unknown, schema: unknown, root: Schema): void {
  if (!isRecord(schema)) return;
  const { items, properties, required } = schema;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      dropOptionalNulls(item, Array.isArray(items) ? items[index] : items, root);
  } else if (isRecord(value) && isRecord(properties)) {
    for (const [key, nested] of Object.entries(properties)) {
      if (!Object.hasOwn(value, key) || !isSchema(nested)) continue;
      const optional = !(Array.isArray(required) && required.includes(key));
      const refers = isRecord(nested) && typeof nested["$ref"] === "string";
      if (value[key] === null && optional && !refers && faultsOf(null, nested, root).length > 0) delete value[key];
      else dropOptionalNulls(value[key], nested, root);
    }
  }
}

function convert(value: unknown, schema: unknown, place: SchemaPosition): unknown {
  if (!isRecord(schema) || place.depth > MAX_DEPTH) return value;
  const inner = { ...place, depth: place.depth + 1 };
  let next = value;
  if (typeof schema["$ref"] === "string" && isBuilt(schema))
    next = convert(next, resolveReference(schema["$ref"], place.root), inner);
  if (Array.isArray(schema["allOf"])) for (const nested of schema["allOf"]) next = convert(next, nested, inner);
  for (const keyword of ["anyOf", "oneOf"]) {
    if (Array.isArray(schema[keyword])) next = convertToOneOf(next, schema[keyword].filter(isSchema), inner);
  }
  const types = typesOf(schema);
  const fitsOneOfMany = types.length > 1 && types.some((type) => isOfType(next, type));
  if (!fitsOneOfMany) {
    for (const type of types) {
      const candidate = convertPrimitive(next, type, isBuilt(schema));
      if (candidate !== next) {
        next = candidate;
        break;
      }
    }
  }
  if (types.includes("object") && isRecord(next)) convertProperties(next, schema, inner);
  if (types.includes("array") && Array.isArray(next)) convertItems(next, schema["items"], inner);
  return next;
}

function convertToOneOf(value: unknown, schemas: readonly Schema[], place: SchemaPosition): unknown {
  const fits = (candidate: unknown, schema: Schema) => faultsOf(candidate, schema, place.root).length === 0;
  if (schemas.some((schema) => fits(value, schema))) return value;
  for (const schema of schemas) {
    const candidate = convert(structuredClone(value), schema, place);
    if (fits(candidate, schema)) return candidate;
  }
  return value;
}

function convertProperties(
  value: Record<string, unknown>,
  schema: Record<string, unknown>,
  place: SchemaPosition,
): void {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const others = schema["additionalProperties"];
  for (const key of Object.keys(value)) {
    const nested = Object.hasOwn(properties, key) ? properties[key] : others;
    value[key] = convert(value[key], nested, place);
  }
}

function convertItems(value: unknown[], items: unknown, place: SchemaPosition): void {
  for (const [index, item] of value.entries())
    value[index] = convert(item, Array.isArray(items) ? items[index] : items, place);
}

function convertPrimitive(value: unknown, type: string, built: boolean): unknown {
  switch (type) {
    case "number":
    case "integer":
      return toNumber(value, type === "integer", built);
    case "boolean":
      return toBoolean(value, built);
    case "string":
      if (value === null) return "";
      return typeof value === "number" || typeof value === "boolean" ? String(value) : value;
    case "null":
      return value === "" || value === 0 || value === false ? null : value;
    case "array":
      return built && value !== undefined && !Array.isArray(value) ? [value] : value;
    default:
      return value;
  }
}

function toNumber(value: unknown, whole: boolean, built: boolean): unknown {
  if (value === null) return 0;
  if (typeof value === "boolean") return value ? 1 : 0;
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (!Number.isFinite(number)) return value;
  const wanted = whole && built ? Math.trunc(number as number) : number;
  return whole && !Number.isInteger(wanted) ? value : wanted;
}

function toBoolean(value: unknown, built: boolean): unknown {
  const read = built && typeof value === "string" ? value.toLowerCase() : value;
  if (read === "true" || read === 1 || (built && read === "1")) return true;
  if (read === "false" || read === 0 || read === null || (built && read === "0")) return false;
  return value;
}

/** Whether TypeBox made a schema, which then has a hidden field. For such schemas pi converts more values. */
function isBuilt(schema: object): boolean {
  return "~kind" in schema;
}
