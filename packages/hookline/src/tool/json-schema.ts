/** A JSON Schema, or the two that accept everything and nothing. */
export type Schema = boolean | Readonly<Record<string, unknown>>;

/** The schema that a reference names: a pointer into the root, or a name in its `$defs`. Unknown ones accept nothing. */
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

/** Whether a value is an object but not a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is of one of JSON Schema's types. */
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

/** The type names of a schema. */
export function typesOf(schema: Readonly<Record<string, unknown>>): string[] {
  const type = schema["type"];
  return (Array.isArray(type) ? type : [type]).filter((name) => typeof name === "string");
}
