/** An object whose fields are not yet checked, such as one from foreign JSON. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a value is an object, but neither a list nor null. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
