import { lenientText } from "./bytes.ts";
/** The first position at which a text is not valid JSON. */
export interface JsonFault {
  /** The line, counted from 1. */
  readonly line: number;
  readonly problem: string;
}

/** Parses JSON. For invalid text, returns the line of the error, which the JavaScript engine often omits. */
export function readJsonText(given: string): { readonly value: unknown } | JsonFault {
  const source = lenientText(given);
  try {
    return { value: JSON.parse(source) };
  } catch {
    const { at, problem } = scan(source);
    return { line: source.slice(0, at).split("\n").length, problem };
  }
}

const token =
  /[ \t\r\n]*(?:("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)|([[\]{}:,]))/y;

/** Finds the first error in a text that is known to be invalid. */
function scan(source: string): { at: number; problem: string } {
  const open: string[] = [];
  let expected: "value" | "first" | "key" | "first key" | "colon" | "next" | "end" = "value";
  for (let at = 0; ; ) {
    token.lastIndex = at;
    const match = token.exec(source);
    const start = at + (/^[ \t\r\n]*/.exec(source.slice(at))?.[0].length ?? 0);
    if (match === null)
      return { at: start, problem: start >= source.length ? "the file ends too early" : fault(source, start) };
    const [, text, scalar, sign] = match;
    at = token.lastIndex;
    const closes = (sign === "]" && open.at(-1) === "[") || (sign === "}" && open.at(-1) === "{");
    if (closes && (expected === "next" || expected === "first" || expected === "first key")) {
      open.pop();
      expected = open.length === 0 ? "end" : "next";
    } else if (closes) return { at: start, problem: `there is a "," before "${sign}"` };
    else if (expected === "next" && sign === ",") expected = open.at(-1) === "{" ? "key" : "value";
    else if (expected === "colon" && sign === ":") expected = "value";
    else if ((expected === "key" || expected === "first key") && text !== undefined) expected = "colon";
    else if ((expected === "value" || expected === "first") && (sign === "{" || sign === "[")) {
      open.push(sign);
      expected = sign === "{" ? "first key" : "first";
    } else if ((expected === "value" || expected === "first") && (text ?? scalar) !== undefined) {
      expected = open.length === 0 ? "end" : "next";
    } else
      return {
        at: start,
        problem: `${wanted(expected, open.at(-1))} is expected before ${text ?? scalar ?? `"${sign}"`}`,
      };
  }
}

function fault(source: string, at: number): string {
  if (source[at] === '"') return "a text is not closed or has a character that must be escaped";
  return `"${/^[\w$]+|./u.exec(source.slice(at))?.[0] ?? ""}" is not JSON`;
}

function wanted(expected: string, inside: string | undefined): string {
  if (expected === "next") return inside === "{" ? '"," or "}"' : '"," or "]"';
  if (expected === "colon") return '":"';
  if (expected === "end") return "the end of the file";
  return expected.includes("key") ? "a key in quotes" : "a value";
}
