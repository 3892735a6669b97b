import * as v from "valibot";
import { readJson } from "../kit.ts";
import { Refused } from "./refused.ts";

/** The deepest nesting of signed JSON. */
const MOST_DEPTH = 8;

/**
 * Reads JSON strictly: no duplicate, unknown or missing name, nothing before or after the value. Two readers of the
 * same signed bytes must not see different values. Throws `Refused`; `what` names the text in errors.
 */
export function readStrict<T>(
  bytes: Uint8Array,
  schema: v.GenericSchema<unknown, T>,
  { what, maxBytes }: { readonly what: string; readonly maxBytes: number },
): T {
  const reading = readJson(bytes, { maxBytes, maxDepth: MOST_DEPTH, exact: true });
  if (!reading.ok) throw new Refused(reading.problem === "too-large" ? "size" : "json", `${what}: ${reading.message}`);
  const [twice] = reading.duplicates;
  if (twice !== undefined) throw new Refused("json", `${what}: ${JSON.stringify(twice)} occurs twice`);
  if (reading.left > 0) throw new Refused("json", `${what}: it has a member named __proto__`);
  const parsed = v.safeParse(schema, reading.value, { abortEarly: true });
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  const path = v.getDotPath(issue);
  throw new Refused(
    "field",
    `${what}: ${path === null ? "it" : JSON.stringify(path)} has the wrong form: ${issue.message}`,
  );
}

/** Schema of an object with names that match `name` and values that match `value`. */
export const recordSchema = <T>(name: v.GenericSchema<string, string>, value: v.GenericSchema<unknown, T>) =>
  v.pipe(
    v.custom<Record<string, unknown>>((input) => !Array.isArray(input), "expected an object"),
    v.record(name, value),
  );

/** Schema of a positive integer. */
export const countSchema = () => v.pipe(v.number(), v.safeInteger(), v.minValue(1));

/** Schema of a time in epoch ms. */
export const timeSchema = () => v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** Schema of a SHA-256 as 64 hexadecimal digits in lower case. */
export const hashSchema = () => v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));

/** Schema of bytes in standard Base64 with padding; another spelling of the same bytes is refused. */
export const base64Schema = (bytes?: number) =>
  v.pipe(
    v.string(),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      const read = Buffer.from(dataset.value, "base64");
      if (read.toString("base64") === dataset.value && (bytes === undefined || read.length === bytes)) return read;
      addIssue({ message: bytes === undefined ? "expected Base64" : `expected ${bytes} bytes in Base64` });
      return NEVER;
    }),
  );
