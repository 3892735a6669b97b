import { readJson as read, SIZE_LIMITS } from "@hookline/ground";

/** Limits of foreign JSON. Source: guarantees R8, R18. */
export const JSON_LIMITS: { readonly depth: number; readonly bytes: number } = {
  depth: 256,
  bytes: SIZE_LIMITS.answer.most,
};

/** The result of reading a hook's JSON. */
export type JsonReading =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** Keys that occur more than once in the top-level object; `value` has the last value of each. */
      readonly repeated: readonly string[];
      /** Messages about `__proto__` keys that the hook's JSON has and `value` lacks. */
      readonly notes: readonly string[];
    }
  | {
      readonly ok: false;
      readonly problem: string;
      /** Whether the text is longer than the limit, which does not mean that it is not JSON. */
      readonly isOverLimit?: true;
      /** Whether the text is UTF-16, or bytes that are not text. */
      readonly isOtherEncoding?: true;
    };

const PROBLEMS = {
  syntax: "it is not one valid JSON value",
  "too-deep": `it is nested deeper than ${JSON_LIMITS.depth} levels`,
  "too-large": `it is longer than ${JSON_LIMITS.bytes / 1024 / 1024} MiB`,
  "not-utf8": "it is not UTF-8 (UTF-16 perhaps)",
} as const;

/**
 * Reads exactly one JSON value of limited size and depth from a hook's answer. `__proto__` keys are left out and
 * reported. Problems never quote the text.
 */
export function readJson(text: string): JsonReading {
  const reading = read(text, { maxDepth: JSON_LIMITS.depth, maxBytes: JSON_LIMITS.bytes });
  if (!reading.ok) {
    const isOverLimit = reading.problem === "too-large";
    const problem = text.trim() === "" ? "it is empty" : PROBLEMS[reading.problem];
    const isOtherEncoding = reading.problem === "not-utf8";
    return { ok: false, problem, ...(isOverLimit && { isOverLimit }), ...(isOtherEncoding && { isOtherEncoding }) };
  }
  const repeated = reading.duplicates.filter((pointer) => !pointer.includes("/", 1)).map(nameOf);
  return {
    ok: true,
    value: reading.value,
    repeated,
    notes: reading.left > 0 ? ['a "__proto__" key was left out'] : [],
  };
}

/** Returns the key in a JSON pointer of one step. */
function nameOf(pointer: string): string {
  return pointer.slice(1).replaceAll("~1", "/").replaceAll("~0", "~");
}
