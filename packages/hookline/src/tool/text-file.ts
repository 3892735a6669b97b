/** The number of bytes at the start of a file by which text and other data are distinguished. */
export const SNIFFED_BYTES = 8000;

/**
 * Decodes a file as UTF-8, or as UTF-16 if it has a byte order mark. The mark is dropped. Returns undefined for a file
 * with a zero byte near its start, unless `forced`.
 */
export function decodeText(bytes: Uint8Array, forced = false): string | undefined {
  const mark = `${bytes[0]} ${bytes[1]}`;
  if (mark === "255 254") return new TextDecoder("utf-16le").decode(bytes);
  if (mark === "254 255") return new TextDecoder("utf-16be").decode(bytes);
  if (!forced && isBinary(bytes)) return undefined;
  return new TextDecoder("utf-8").decode(bytes);
}

/** Whether a file is not text. `bytes` are its first {@link SNIFFED_BYTES} bytes or more, or all. */
export function isBinary(bytes: Uint8Array): boolean {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  return !isUtf16 && bytes.subarray(0, SNIFFED_BYTES).includes(0);
}
