/** Copies a value so that JSON can hold it. Functions and symbols become names, other values text; cycles are cut. */
export function plainJson(value: unknown): unknown {
  return copy(value, []);
}

function copy(value: unknown, above: readonly object[]): unknown {
  if (typeof value === "function") return `[function ${value.name || "without a name"}]`;
  if (typeof value === "bigint" || typeof value === "symbol") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (above.includes(value)) return "[circular]";
  const inside = [...above, value];
  if (Array.isArray(value)) return value.map((item) => copy(item, inside) ?? null);
  if (value instanceof Date) return value.toJSON();
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (value instanceof AbortSignal) return "[signal]";
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, copy(field, inside)]));
}

/** Formats a value as a JSON document for other programs. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(plainJson(value), null, 2)}\n`;
}
