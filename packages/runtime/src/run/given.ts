import type { Fields } from "@hookline/ground";
import { chooseFrom, didYouMean, HooklineError, nearest } from "@hookline/ground";
import type { CatalogRow } from "../catalog/row.ts";
import { jsonKind } from "../lens/has-json.ts";

/** The parts of a schema that payloads are checked against. */
interface Entry {
  readonly type: string;
  readonly wrapped?: Entry;
  readonly entries?: Readonly<Record<string, Entry>>;
}

interface Field {
  readonly name: string;
  readonly isOptional: boolean;
  readonly wants: string | undefined;
}

/** The words for types of schemas in error messages; fields of other types are not checked. */
const KINDS: Readonly<Record<string, string>> = {
  string: "a text",
  picklist: "a text",
  boolean: "true or false",
  number: "a number",
  array: "a list",
  record: "an object",
  object: "an object",
  strict_object: "an object",
  loose_object: "an object",
};

/** Types of schemas for the host's own data, which recordings may lack. */
const HOST_DATA: readonly string[] = ["unknown", "custom", "loose_object"];

const fields = new WeakMap<CatalogRow, readonly Field[]>();

function fieldsOf(row: CatalogRow): readonly Field[] {
  let known = fields.get(row);
  if (known === undefined) {
    const { entries = {} } = row.payload() as unknown as Entry;
    known = Object.entries(entries).map(([name, entry]) => {
      const isOptional = entry.type === "optional";
      const { type } = isOptional ? (entry.wrapped ?? entry) : entry;
      return { name, isOptional: isOptional || HOST_DATA.includes(type), wants: KINDS[type] };
    });
    fields.set(row, known);
  }
  return known;
}

/**
 * Throws `INVALID_OPTION` for a guard's or gate's payload with a field that is missing or of another type. A guard that
 * sees half a call judges nothing. `from` is the name of the function that was called.
 */
export function checkPayload(row: CatalogRow, payload: unknown, from: string): void {
  if (row.kind !== "guard" && row.kind !== "gate") return;
  const given = (typeof payload === "object" && payload !== null ? payload : {}) as Fields;
  for (const { name, isOptional, wants } of fieldsOf(row)) {
    const value = given[name];
    if (value === undefined ? isOptional : wants === undefined || inWords(value) === wants) continue;
    throw malformed(row, given, { name, value, wants, from });
  }
}

interface Fault extends Pick<Field, "name" | "wants"> {
  readonly value: unknown;
  readonly from: string;
}

function malformed(row: CatalogRow, given: Fields, { name, value, wants, from }: Fault): HooklineError {
  const known = fieldsOf(row).map((field) => field.name);
  const others = Object.keys(given).filter((key) => !known.includes(key));
  const mistaken = value === undefined ? (nearest(name, others) ?? others[0]) : undefined;
  return new HooklineError("INVALID_OPTION", {
    option: `${from}: "${name}" of ${row.name}`,
    problem: value === undefined ? "is missing" : `must be ${wants}, and is ${shown(value)}`,
    remedy:
      mistaken !== undefined
        ? `There is no "${mistaken.slice(0, 40)}"; call it "${name}".`
        : wants === "an object" && typeof value === "string"
          ? "Parse the model's JSON first, and give the object."
          : `Give ${known.join(", ")}.`,
  });
}

/** Returns a value for an error message: in full if it is short and looks like a name, else its kind and length. */
export function shown(value: unknown): string {
  if (typeof value === "string")
    return /^[\w.@/-]{1,40}$/.test(value) ? `"${value}"` : `a text of ${value.length} characters`;
  if (value === null || typeof value === "number" || typeof value === "boolean") return String(value);
  return jsonKind(value);
}

/** Describes a value's kind, in the words of `KINDS`. */
function inWords(value: unknown): string {
  return typeof value === "string" ? "a text" : typeof value === "boolean" ? "true or false" : jsonKind(value);
}

/** Throws `INVALID_OPTION` for an unknown option; `renamed` maps old options to their new names. */
export function checkOptions(
  given: object,
  known: readonly string[],
  from: string,
  renamed: Readonly<Record<string, string>> = {},
): void {
  for (const key of Object.keys(given)) {
    if (known.includes(key)) continue;
    const now = renamed[key] ?? nearest(key, known);
    throw new HooklineError("INVALID_OPTION", {
      option: `${from}: "${key.slice(0, 40)}"`,
      problem: "is no option",
      remedy: now === undefined ? chooseFrom(key, known) : didYouMean(now).trim(),
    });
  }
}
