import { type Fields, isFields } from "@hookline/ground";

/** A payload as an object; throws for anything else. */
export function fieldsOf(payload: unknown): Fields {
  if (isFields(payload)) return payload;
  throw new Error("the payload is not a JSON object");
}

/** A text that must be there. */
export function textIn(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value === "string") return value;
  throw new Error(`the payload has no text in "${name}"`);
}

/** A text that may be absent. */
export function maybeText(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** An object that may be absent. */
export function objectIn(fields: Fields, name: string): Fields {
  const value = fields[name];
  return isFields(value) ? value : {};
}
