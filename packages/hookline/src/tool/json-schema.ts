/** A JSON Schema. `true` accepts everything, `false` nothing. */
export type Schema = boolean | Readonly<Record<string, unknown>>;

/**
 * Finds the schema of a reference, which is a pointer into the root or a name in its `$defs`. An unknown reference
 * becomes `false`, which accepts nothing.
 */
export function resolveReference(reference: string, root: Schema): Schema {
  if (typeof root === "boolean") return root;
  if (reference === "#" || reference === root["$id"]) return root;
  const steps = reference.startsWith("#/")
    ? reference
        .slice(2)
        .split("/")
        .map((step) => decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~"))
    : ["$defs", reference];
  let found: unknown = root;
  for (const step of steps) found = isRecord(found) && Object.hasOwn(found, step) ? found[step] : undefined;
  return isSchema(found) ? found : false;
}

/** Whether a value is a schema. */
export function isSchema(value: unknown): value is Schema {
  return typeof value === "boolean" || isRecord(value);
}

/** Whether a value is an object and no list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value has one of JSON Schema's types. */
export function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case "integer":
      return Number.isInteger(value);
    case "number":
      return Number.isFinite(value);
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isRecord(value);
    default:
      return typeof value === type;
  }
}

/** Returns the names of a schema's types. */
export function typesOf(schema: Readonly<Record<string, unknown>>): string[] {
  const type = schema["type"];
  return (Array.isArray(type) ? type : [type]).filter((name) => typeof name === "string");
}
