import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { type Fields, isFields, readJsonText } from "@hookline/ground";

/** The number of bytes at the end of a log that are read. */
const TAIL_BYTES = 1024 * 1024;

/** The longest wait for the log, and the time between two reads of it, in ms. */
const WAIT_MS = 1000;
const LOOK_MS = 10;

/**
 * Returns the last reply to the last prompt, from Copilot CLI's log of the session, since its events do not contain it.
 * Empty if there is none or the log cannot be read.
 *
 * Copilot CLI fires the event before it writes the log. So this waits for a log entry that is no older than the event,
 * which happened at `askedAt`, in ms since 1970.
 */
export async function lastReply(log: string | undefined, askedAt: number | undefined): Promise<string> {
  if (log === undefined) return "";
  try {
    for (let waitedMs = 0; ; waitedMs += LOOK_MS) {
      const lines = tailOf(log).trimEnd().split("\n");
      const written = Date.parse(String(eventOf(lines.at(-1) ?? "")["timestamp"]));
      if (askedAt === undefined || written >= askedAt || waitedMs >= WAIT_MS) return replyIn(lines.map(eventOf));
      await setTimeout(LOOK_MS);
    }
  } catch {
    // If the log cannot be read, hooks get an empty reply.
    return "";
  }
}

function eventOf(line: string): Fields {
  const parsed = readJsonText(line);
  return "value" in parsed && isFields(parsed.value) ? parsed.value : {};
}

function replyIn(events: readonly Fields[]): string {
  const replies = events.slice(events.findLastIndex(({ type }) => type === "user.message") + 1);
  for (const { type, data } of replies.reverse()) {
    const { content } = isFields(data) ? data : {};
    if (type === "assistant.message" && typeof content === "string" && content !== "") return content;
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
