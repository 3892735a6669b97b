/** A text, or why the bytes hold none. */
export type Decoded =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: "not-utf8"; readonly message: string };

const STRICT = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const LENIENT = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Decodes a file, a payload or an answer as UTF-8: without one byte order mark at the start and without NULs at the
 * end. UTF-16 is named, so that the person knows what to change.
 */
export function decodeText(input: string | Uint8Array): Decoded {
  if (typeof input !== "string" && isUtf16(input[0], input[1])) return refuse("it is UTF-16; save it as UTF-8");
  let text: string;
  try {
    text = typeof input === "string" ? input : STRICT.decode(input);
  } catch {
    return refuse("the bytes are not UTF-8");
  }
  const plain = trimmed(text);
  if (WIDE.test(plain)) return refuse("it is UTF-16; save it as UTF-8");
  return { ok: true, text: plain };
}

/** Decodes like `decodeText`; bytes that are not UTF-8 become U+FFFD. */
export function lenientText(input: string | Uint8Array): string {
  return trimmed(typeof input === "string" ? input : LENIENT.decode(input));
}

/** Reads one JSON value from bytes or a text that is read like a file. Throws a `SyntaxError`. */
export function parseJson(input: string | Uint8Array): unknown {
  const read = decodeText(input);
  if (!read.ok) throw new SyntaxError(read.message);
  return JSON.parse(read.text);
}

/** Matches UTF-16 whose bytes were taken for UTF-8: a mark that is no character, or a NUL beside a letter. */
const WIDE = /^(?:\uFFFD\uFFFD|[^\0]\0[^\0]\0|\0[^\0]\0[^\0])/;

function isUtf16(first: number | undefined, second: number | undefined): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

function trimmed(text: string): string {
  const start = text.startsWith("\uFEFF") ? 1 : 0;
  let end = text.length;
  while (end > start && text[end - 1] === "\0") end--;
  return text.slice(start, end);
}

function refuse(message: string): Decoded {
  return { ok: false, problem: "not-utf8", message };
}
