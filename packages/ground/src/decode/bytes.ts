/** A decoded text, or the reason why the bytes cannot be decoded. */
export type Decoded =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: "not-utf8"; readonly message: string };

const STRICT = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const LENIENT = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Decodes a file, a payload or an answer as UTF-8. Removes one byte order mark at the start and NULs at the end. For
 * UTF-16 the message says so, so that the user knows what to change.
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

/** Decodes like `decodeText`, but never fails: invalid UTF-8 becomes U+FFFD. */
export function lenientText(input: string | Uint8Array): string {
  return trimmed(typeof input === "string" ? input : LENIENT.decode(input));
}

/** Parses one JSON value from bytes, or from a text that may have a byte order mark. Throws a `SyntaxError`. */
export function parseJson(input: string | Uint8Array): unknown {
  const read = decodeText(input);
  if (!read.ok) throw new SyntaxError(read.message);
  return JSON.parse(read.text);
}

/** Matches UTF-16 that was decoded as UTF-8: two replacement characters at the start, or NULs between characters. */
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
