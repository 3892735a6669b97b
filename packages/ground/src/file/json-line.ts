/** Encodes a value as one line of JSON with a line break. Throws like `JSON.stringify` for what JSON cannot hold. */
export function encodeLine(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`, "utf8");
}
