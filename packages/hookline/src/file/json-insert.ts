/** What stands in a text: a sign, a string or another scalar. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Puts a member at the end of the object, or an item (`key` undefined) at the end of the list, that stands at a path of a
 * JSON text. Every other character stays as it is; what is added is indented like the rest. The text must be valid JSON
 * and hold a container at the path. Of a name that stands twice the last one counts, as when it is read.
 */
export function insertJson(text: string, path: readonly string[], key: string | undefined, value: unknown): string {
  let start = tokenAt(text, 0).start;
  for (const name of path) start = memberOf(text, start, name);
  const close = endOf(text, start) - 1;
  const before = text.slice(0, close).trimEnd();
  const isEmpty = before.length === start + 1;
  const isLong = isEmpty || text.slice(start, close).includes("\n");
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const unit = /^[{[]\s*?\n([ \t]+)\S/.exec(text.trimStart())?.[1] ?? "  ";
  const outer = /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", isEmpty ? start : close) + 1))?.[0] ?? "";
  const name = key === undefined ? "" : `${JSON.stringify(key)}: `;
  const comma = isEmpty ? "" : ",";
  if (!isLong) return `${before}${comma} ${name}${JSON.stringify(value)}${text.slice(before.length)}`;
  const lines = `${name}${JSON.stringify(value, undefined, unit)}`.split("\n").map((line) => `${outer}${unit}${line}`);
  return `${before}${comma}${newline}${lines.join(newline)}${newline}${outer}${text.slice(close)}`;
}

function tokenAt(text: string, at: number): Token {
  TOKEN.lastIndex = at;
  const found = TOKEN.exec(text);
  if (found === null) throw new Error("the text is no JSON");
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

/** Where the value of a member begins. */
function memberOf(text: string, start: number, key: string): number {
  let found: number | undefined;
  for (let name = tokenAt(text, start + 1); name.text !== "}"; ) {
    const value = tokenAt(text, tokenAt(text, name.end).end);
    if (JSON.parse(name.text) === key) found = value.start;
    const next = tokenAt(text, endOf(text, value.start));
    name = next.text === "," ? tokenAt(text, next.end) : next;
  }
  if (found === undefined) throw new Error(`the text has no ${key}`);
  return found;
}
