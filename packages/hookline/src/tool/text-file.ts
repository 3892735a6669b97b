/** Bytes at the start of a file that tell text from other data. */
const SNIFFED_BYTES = 8000;

/**
 * Decodes a file as text: UTF-8, or UTF-16 with a byte order mark; the mark is dropped.
 * Gives nothing for a file that holds a zero byte near its start, unless it must be `forced`.
 */
export function decodeText(bytes: Uint8Array, forced = false): string | undefined {
  const mark = `${bytes[0]} ${bytes[1]}`;
  if (mark === "255 254") return new TextDecoder("utf-16le").decode(bytes);
  if (mark === "254 255") return new TextDecoder("utf-16be").decode(bytes);
  if (!forced && bytes.subarray(0, SNIFFED_BYTES).includes(0)) return undefined;
  return new TextDecoder("utf-8").decode(bytes);
}
