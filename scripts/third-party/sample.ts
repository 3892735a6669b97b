type Schema = Readonly<Record<string, unknown>>;

/** The most values of a choice that are tried. */
const MOST = 6;

/**
 * Returns argument lists that fit a tool's schema: the required arguments, or all if none is required; one list for
 * each value of its first choice. A tool that requires nothing and has no choice is also called without arguments.
 */
export function sampleArguments(schema: Schema): Schema[] {
  const properties = record(schema["properties"]);
  const required = Array.isArray(schema["required"]) ? (schema["required"] as string[]) : [];
  const names = Object.keys(properties);
  const base = pick(properties, required);
  const whole = required.length > 0 ? base : pick(properties, names);
  const choice = names.find((name) => valuesOf(record(properties[name])).length > 1);
  if (choice !== undefined)
    return valuesOf(record(properties[choice]))
      .slice(0, MOST)
      .map((value) => ({ ...whole, [choice]: value }));
  return required.length > 0 || names.length === 0 ? [base] : [base, whole];
}

function pick(properties: Schema, names: readonly string[]): Schema {
  return Object.fromEntries(names.map((name) => [name, sample(record(properties[name]), name)]));
}

/** Returns a value that fits a schema. */
function sample(schema: Schema, name: string): unknown {
  const [choice] = valuesOf(schema);
  if (choice !== undefined) return choice;
  const [variant] = variantsOf(schema);
  if (variant !== undefined) return sample(variant, name);
  switch (Array.isArray(schema["type"]) ? schema["type"][0] : schema["type"]) {
    case "number":
    case "integer":
      return schema["minimum"] ?? 1;
    case "boolean":
      return false;
    case "array":
      return Array.from({ length: Math.max(1, Number(schema["minItems"] ?? 1)) }, () =>
        sample(record(schema["items"]), name),
      );
    case "object":
      return pick(record(schema["properties"]), (schema["required"] ?? []) as string[]);
    default:
      return textFor(name, Number(schema["minLength"] ?? 0));
  }
}

/** Returns text that a parameter with this name usually expects; none of it leaves the machine. */
function textFor(name: string, least: number): string {
  if (/path|file/i.test(name)) return "notes.txt";
  if (/dir|cwd|folder/i.test(name)) return ".";
  if (/command|cmd/i.test(name)) return "echo rivers";
  if (/url|uri/i.test(name)) return "http://127.0.0.1:9/";
  return "rivers ".repeat(Math.ceil(least / 7) || 1).trimEnd();
}

/** Returns the values that a schema lists. */
function valuesOf(schema: Schema): readonly unknown[] {
  if (Array.isArray(schema["enum"])) return schema["enum"];
  if (schema["const"] !== undefined) return [schema["const"]];
  const variants = variantsOf(schema);
  return variants.length > 0 && variants.every((one) => one["const"] !== undefined)
    ? variants.map((one) => one["const"])
    : [];
}

function variantsOf(schema: Schema): readonly Schema[] {
  return (schema["anyOf"] ?? schema["oneOf"] ?? []) as readonly Schema[];
}

function record(value: unknown): Schema {
  return typeof value === "object" && value !== null ? (value as Schema) : {};
}
