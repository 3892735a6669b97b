import type { JsonObject } from "./entry.ts";

/** The content of one line: an object, nothing, or anything that is not a JSON object. */
export type ParsedLine = JsonObject | "blank" | "bad";

/** Reads the bytes of one line without its line break. */
export function parseLine(bytes: Buffer, start: number, end: number): ParsedLine {
  return parseText(bytes.toString("utf8", start, end));
}

/** Reads one line. A byte order mark, carriage returns and NUL characters around the object are ignored. */
export function parseText(text: string): ParsedLine {
  const value = parsed(text) ?? parsed(bare(text));
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
  return value === undefined && text.trim() === "" ? "blank" : "bad";
}

function bare(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && (text[start] === "\uFEFF" || text[start] === "\0")) start += 1;
  while (end > start && (text[end - 1] === "\0" || text[end - 1] === "\r")) end -= 1;
  return text.slice(start, end);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
