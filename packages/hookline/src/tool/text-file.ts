/** The number of bytes at a file's start that distinguish text from other data. */
export const SNIFFED_BYTES = 8000;

/**
 * Decodes a file as text: UTF-8, or UTF-16 with a byte order mark; the mark is dropped. Returns undefined for a file
 * with a zero byte near its start, unless `forced`.
 */
export function decodeText(bytes: Uint8Array, forced = false): string | undefined {
  const mark = `${bytes[0]} ${bytes[1]}`;
  if (mark === "255 254") return new TextDecoder("utf-16le").decode(bytes);
  if (mark === "254 255") return new TextDecoder("utf-16be").decode(bytes);
  if (!forced && isBinary(bytes)) return undefined;
  return new TextDecoder("utf-8").decode(bytes);
}

/** Whether a file is not text, by its first bytes: at least {@link SNIFFED_BYTES} of them, or all. */
export function isBinary(bytes: Uint8Array): boolean {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  return !isUtf16 && bytes.subarray(0, SNIFFED_BYTES).includes(0);
}
