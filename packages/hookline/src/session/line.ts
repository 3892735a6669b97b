import type { JsonObject } from "./entry.ts";

/** The content of one line: a JSON object, nothing but blanks, or anything else. */
export type ParsedLine = JsonObject | "blank" | "bad";

/** Parses the bytes of one line without its line break. */
export function parseLine(bytes: Buffer, start: number, end: number): ParsedLine {
  return parseText(bytes.toString("utf8", start, end));
}

/** Parses one line. Ignores byte order marks, carriage returns and NUL characters around the object. */
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
