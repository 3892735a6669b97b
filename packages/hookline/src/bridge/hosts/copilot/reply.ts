import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { parseJson } from "../../../provider/json-text.ts";
import { type Fields, isFields } from "../../payload.ts";

/** How much of the end of a log is read. */
const TAIL_BYTES = 1024 * 1024;

/** The last reply in Copilot CLI's log of a session, which its events do not tell; empty where it cannot be read. */
export function lastReply(log: string | undefined): string {
  if (log === undefined) return "";
  try {
    const lines = tailOf(log).split("\n").reverse();
    for (const line of lines) {
      const parsed = parseJson(line);
      const event: Fields = "value" in parsed && isFields(parsed.value) ? parsed.value : {};
      const { content } = isFields(event["data"]) ? event["data"] : {};
      if (event["type"] === "assistant.message" && typeof content === "string" && content !== "") return content;
    }
  } catch {
    // Hooks are told an empty reply.
  }
  return "";
}

function tailOf(path: string): string {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const length = Math.min(size, TAIL_BYTES);
    const bytes = Buffer.alloc(length);
    readSync(file, bytes, 0, length, size - length);
    return bytes.toString("utf8");
  } finally {
    closeSync(file);
  }
}
