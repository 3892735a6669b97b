import { type Fields, isFields } from "@hookline/ground";

/** Reads a payload as an object; throws for anything else. */
export function fieldsOf(payload: unknown): Fields {
  if (isFields(payload)) return payload;
  throw new Error("the payload is not a JSON object");
}

/** Reads a required text; throws if it is missing. */
export function textIn(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value === "string") return value;
  throw new Error(`the payload has no text in "${name}"`);
}

/** Reads an optional text; returns `undefined` if it is missing or empty. */
export function maybeText(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Reads an optional object; returns `{}` if it is missing. */
export function objectIn(fields: Fields, name: string): Fields {
  const value = fields[name];
  return isFields(value) ? value : {};
}
