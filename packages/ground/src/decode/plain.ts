/** An object of which nothing is known but that it has fields, such as one of foreign JSON. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a value is an object with fields: no list, and not null. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
