/** The parts of a valibot schema that a sample needs. */
export interface Schema {
  readonly type: string;
  readonly entries?: Readonly<Record<string, Schema>>;
  readonly wrapped?: Schema;
  /** The schema of a list's items. */
  readonly item?: Schema;
  readonly options?: readonly unknown[];
  readonly literal?: unknown;
}

/**
 * Returns an object that fits an object schema: its required fields and those that `chosen` names, with values from
 * `known` by name.
 */
export function sampleFields(
  schema: Schema,
  known: Readonly<Record<string, unknown>>,
  chosen: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const sample: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(schema.entries ?? {})) {
    if (Object.hasOwn(chosen, name)) sample[name] = chosen[name];
    else if (field.type !== "optional") sample[name] = sampleValue(name, field, known);
  }
  return sample;
}

function sampleValue(name: string, schema: Schema, known: Readonly<Record<string, unknown>>): unknown {
  const given = known[name];
  if (given !== undefined && fits(schema, given)) return given;
  switch (schema.type) {
    case "string":
      return name;
    case "number":
      return 1;
    case "boolean":
      return false;
    case "picklist":
      return schema.options?.[0];
    case "literal":
      return schema.literal;
    case "nullable":
      return null;
    case "array":
      return [];
    case "custom":
      return name === "signal" ? new AbortController().signal : {};
    default:
      return {};
  }
}

/** Returns whether a known value has the field's type, because fields with the same name may differ. */
function fits(schema: Schema, value: unknown): boolean {
  switch (schema.type) {
    case "nullable":
      return schema.wrapped !== undefined && fits(schema.wrapped, value);
    case "string":
      return typeof value === "string";
    case "number":
      return typeof value === "number";
    case "boolean":
      return typeof value === "boolean";
    case "picklist":
      return schema.options?.includes(value) === true;
    case "array":
      return Array.isArray(value) && (schema.item?.type !== "string" || value.every((one) => typeof one === "string"));
    case "strict_object":
    case "loose_object":
    case "object":
    case "record":
    case "custom":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    default:
      return true;
  }
}
