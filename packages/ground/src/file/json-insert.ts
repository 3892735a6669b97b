import { withoutComments } from "./json-comments.ts";

/** Matches a token: a punctuator, a string or another scalar. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Appends a member to an object, or an item (`key` is undefined) to a list, at a path in a JSON text. All other
 * characters stay, and the new text is indented like the rest. The text must be valid JSON, which may have comments,
 * with an object or list at the path. If a name occurs twice, the last one counts, as in `JSON.parse`.
 */
export function insertJson(text: string, path: readonly string[], key: string | undefined, value: unknown): string {
  const { start, close } = spansAt(text, path);
  const plain = withoutComments(text);
  const end = plain.slice(0, close).trimEnd().length;
  const [before, rest] = [text.slice(0, end), text.slice(end)];
  const isEmpty = end === start + 1;
  const isLong = isEmpty || text.slice(start, close).includes("\n");
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const unit = /^[{[]\s*?\n([ \t]+)\S/.exec(plain.trimStart())?.[1] ?? "  ";
  const outer = /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", isEmpty ? start : close) + 1))?.[0] ?? "";
  const name = key === undefined ? "" : `${JSON.stringify(key)}: `;
  const comma = isEmpty ? "" : ",";
  if (!isLong) return `${before}${comma} ${name}${JSON.stringify(value)}${rest}`;
  const lines = `${name}${JSON.stringify(value, undefined, unit)}`.split("\n").map((line) => `${outer}${unit}${line}`);
  const comments = text.slice(end, close).trimEnd();
  return `${before}${comma}${comments}${newline}${lines.join(newline)}${newline}${outer}${text.slice(close)}`;
}

function tokenAt(text: string, at: number): Token {
  TOKEN.lastIndex = at;
  const found = TOKEN.exec(text);
  if (found === null) throw new Error("the text is not JSON");
  return { text: found[0], start: found.index, end: TOKEN.lastIndex };
}

function endOf(text: string, start: number): number {
  let [depth, at] = [0, start];
  do {
    const token = tokenAt(text, at);
    if (token.text === "{" || token.text === "[") depth += 1;
    if (token.text === "}" || token.text === "]") depth -= 1;
    at = token.end;
  } while (depth > 0);
  return at;
}

/** A member of an object or an item of a list, from the start of its name or value to the end of its value. */
interface Child {
  readonly name?: string;
  readonly start: number;
  readonly end: number;
  /** The offset at which the value starts. */
  readonly value: number;
}

/**
 * Returns the offsets of the object or list at a path: its start, its closing bracket and its children. In the path, an
 * item of a list is named by its index.
 */
export function spansAt(
  text: string,
  path: readonly string[],
): { readonly start: number; readonly close: number; readonly children: readonly Child[] } {
  const plain = withoutComments(text);
  let start = tokenAt(plain, 0).start;
  for (const key of path) {
    const children = childrenOf(plain, start);
    const found = plain[start] === "[" ? children[Number(key)] : children.findLast(({ name }) => name === key);
    if (found === undefined) throw new Error(`the text has no ${key}`);
    start = found.value;
  }
  return { start, close: endOf(plain, start) - 1, children: childrenOf(plain, start) };
}

function childrenOf(text: string, start: number): Child[] {
  const isObject = text[start] === "{";
  const children: Child[] = [];
  for (let next = tokenAt(text, start + 1); next.text !== "}" && next.text !== "]"; ) {
    const value = isObject ? tokenAt(text, tokenAt(text, next.end).end) : next;
    const end = endOf(text, value.start);
    children.push({
      ...(isObject && { name: JSON.parse(next.text) as string }),
      start: next.start,
      end,
      value: value.start,
    });
    const sign = tokenAt(text, end);
    next = sign.text === "," ? tokenAt(text, sign.end) : sign;
  }
  return children;
}
