import { decodeText } from "./bytes.ts";
import { MOST_DEPTH, scanJson } from "./scan.ts";

/** Limits for a foreign JSON text, and the kind of objects to build. */
export interface JsonRules {
  /** How deep objects and lists may nest. Default 256, at most 1000. */
  readonly maxDepth?: number;
  /** Size of the UTF-8 text. Default 8 MiB. */
  readonly maxBytes?: number;
  /** `plain` objects or ones without a prototype (`bare`). Default `plain`. */
  readonly objects?: "plain" | "bare";
  /** Refuses a byte order mark and NULs at the end, which are passed over otherwise: for bytes that are signed. */
  readonly exact?: boolean;
}

/** A value, or why there is none. Messages name a place, never the text. */
export type JsonReading =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** JSON pointers of duplicate names in an object; the last one counts. At most 100. */
      readonly duplicates: readonly string[];
      /** How many members named `__proto__` were left out; always 0 for `bare` objects, which keep them. */
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
 * Reads exactly one JSON value: nothing before or after it but blanks and what `decodeText` passes over (guarantees
 * R10, R17, R18).
 *
 * Every member is an own data property. `constructor` and `prototype` are names like any other. Plain objects omit
 * `__proto__`, which would become a prototype at the next careless assignment. Never throws.
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
    return refuse("syntax", "there is a byte order mark before it, or a NUL behind it");
  const { flaw, duplicates } = scanJson(text, maxDepth);
  if (flaw?.kind === "too-deep")
    return refuse("too-deep", `it nests deeper than ${maxDepth} levels at ${place(text, flaw.offset)}`);
  if (flaw !== undefined) return refuse("syntax", syntaxProblem(text, flaw.offset));
  const parsed: unknown = JSON.parse(text);
  if (objects === "bare") return { ok: true, value: bare(parsed), duplicates, left: 0 };
  return { ok: true, value: parsed, duplicates, left: MAY_HOLD_PROTO.test(text) ? dropProto(parsed) : 0 };
}

/** The name may be written with escapes, which always begin with a backslash. */
const MAY_HOLD_PROTO = /__proto__|\\u00/;

/** In bytes; measured only if the number of characters does not decide it. */
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
