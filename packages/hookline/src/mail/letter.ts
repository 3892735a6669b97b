import { randomUUID } from "node:crypto";
import { parseText } from "../session/line.ts";

/** A message from one context to another: a line of `inbox.jsonl`. Source: spec/chibi.md 3. */
export interface Letter {
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly from: string;
  readonly to: string;
  readonly content: string;
}

/** Makes a letter with the current time. */
export function newLetter(about: { readonly from: string; readonly to: string; readonly content: string }): Letter {
  return { id: randomUUID(), timestamp: Math.floor(Date.now() / 1000), ...about };
}

/** Parses a line of an inbox; undefined if it is no letter. Only sender and content are required. */
export function readLetter(line: string): Pick<Letter, "from" | "content"> | undefined {
  const value = parseText(line);
  if (typeof value !== "object") return undefined;
  const { from, content } = value;
  return typeof from === "string" && typeof content === "string" ? { from, content } : undefined;
}

/** Formats letters as the text before a prompt. Source: spec/chibi.md 3. */
export function letterBlock(letters: readonly Pick<Letter, "from" | "content">[]): string {
  const lines = letters.map(({ from, content }) => `[From: ${from}] ${content}\n`);
  return `--- INBOX MESSAGES ---\n${lines.join("")}--- END INBOX ---\n\n`;
}
