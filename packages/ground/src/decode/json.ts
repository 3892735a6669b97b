import { decodeText } from "./bytes.ts";
import { MOST_DEPTH, scanJson } from "./scan.ts";

/** Limits for a foreign JSON text, and the kind of objects to build. */
export interface JsonRules {
  /** The maximum nesting of objects and lists. Default 256, at most 1000. */
  readonly maxDepth?: number;
  /** The maximum size of the text in UTF-8. Default 8 MiB. */
  readonly maxBytes?: number;
  /** Whether objects are `plain` or have no prototype (`bare`). Default `plain`. */
  readonly objects?: "plain" | "bare";
  /** Refuses a byte order mark and NULs at the end, which are otherwise ignored. For digitally signed bytes. */
  readonly exact?: boolean;
}

/** A parsed value, or the reason why there is none. Messages give the position of an error but never quote the text. */
export type JsonReading =
  | {
      readonly ok: true;
      readonly value: unknown;
      /**
       * At most 100 JSON pointers of names that occur twice in an object; the last value counts, as in `JSON.parse`.
       */
      readonly duplicates: readonly string[];
      /** The number of members named `__proto__` that were left out. Always 0 for `bare` objects, which keep them. */
      readonly left: number;
    }
  | {
      readonly ok: false;
      readonly problem: "syntax" | "too-deep" | "too-large" | "not-utf8";
      readonly message: string;
    };

const DEFAULT_DEPTH = 256;
const DEFAULT_BYTES = 8 * 1024 * 1024;

/**
 * Parses exactly one JSON value. Before and after it only white space is allowed, and what `decodeText` removes
 * (guarantees R10, R17, R18). Never throws.
 *
 * Every member becomes an own data property, also `constructor` and `prototype`. A member `__proto__` is left out,
 * because it would become a prototype if somebody assigned the members to another object; `bare` objects keep it.
 */
export function readJson(input: string | Uint8Array, rules: JsonRules = {}): JsonReading {
  const { maxBytes = DEFAULT_BYTES, objects = "plain" } = rules;
  const maxDepth = Math.min(rules.maxDepth ?? DEFAULT_DEPTH, MOST_DEPTH);
  const size = typeof input === "string" ? sizeOf(input, maxBytes) : input.length;
  if (size > maxBytes) return refuse("too-large", `it is longer than ${maxBytes} bytes`);
  const decoded = decodeText(input);
  if (!decoded.ok) return decoded;
  const { text } = decoded;
  if (rules.exact && new TextEncoder().encode(text).length !== size)
    return refuse("syntax", "it begins with a byte order mark, or ends with a NUL");
  const { flaw, duplicates } = scanJson(text, maxDepth);
  if (flaw?.kind === "too-deep")
    return refuse("too-deep", `it is nested deeper than ${maxDepth} levels at ${place(text, flaw.offset)}`);
  if (flaw !== undefined) return refuse("syntax", syntaxProblem(text, flaw.offset));
  const parsed: unknown = JSON.parse(text);
  if (objects === "bare") return { ok: true, value: bare(parsed), duplicates, left: 0 };
  return { ok: true, value: parsed, duplicates, left: MAY_HOLD_PROTO.test(text) ? dropProto(parsed) : 0 };
}

/** Matches a text in which a member may be named `__proto__`, also with escapes, as in `\u005f_proto__`. */
const MAY_HOLD_PROTO = /__proto__|\\u00/;

/** Returns the size in bytes. To save time, returns the number of characters if that decides about the limit. */
function sizeOf(text: string, maxBytes: number): number {
  return text.length > maxBytes || text.length * 3 <= maxBytes ? text.length : new TextEncoder().encode(text).length;
}

function refuse(problem: "syntax" | "too-deep" | "too-large" | "not-utf8", message: string): JsonReading {
  return { ok: false, problem, message };
}

function syntaxProblem(text: string, offset: number): string {
  if (text.trim() === "") return "there is no JSON value";
  return offset >= text.length ? "the JSON value is cut off" : `it is not JSON at ${place(text, offset)}`;
}

function place(text: string, offset: number): string {
  const before = text.slice(0, offset);
  return `line ${before.split("\n").length}, column ${offset - before.lastIndexOf("\n")}`;
}

function dropProto(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let left = 0;
  if (Object.hasOwn(value, "__proto__")) {
    Reflect.deleteProperty(value, "__proto__");
    left++;
  }
  for (const member of Object.values(value)) left += dropProto(member);
  return left;
}

function bare(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(bare);
  const copy: Record<string, unknown> = Object.create(null);
  for (const [name, member] of Object.entries(value)) copy[name] = bare(member);
  return copy;
}
