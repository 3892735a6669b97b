/**
 * A value as one line of JSON, including its line break. Throws what `JSON.stringify` throws for data that has no JSON.
 */
export function encodeLine(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`, "utf8");
}
