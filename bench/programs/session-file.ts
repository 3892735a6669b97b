import { closeSync, openSync, writeSync } from "node:fs";

export const ENTRIES = 100_000;
/** The index of the compaction entry, and of the first entry that it keeps. */
const COMPACTED = 99_200;
const KEPT = 99_000;

/**
 * Writes the session of a long project, most of it before its last compaction. Returns the position of the first kept
 * entry.
 */
export function writeLongSession(path: string): number {
  const fd = openSync(path, "w");
  let offset = 0;
  let kept = 0;
  const put = (entry: object): void => {
    offset += writeSync(fd, `${JSON.stringify(entry)}\n`);
  };
  const timestamp = "2026-01-01T00:00:00.000Z";
  put({ type: "session", version: 3, id: "bench", timestamp, cwd: "/" });
  const id = (i: number): string => i.toString(16).padStart(8, "0");
  const text = "lorem ipsum dolor sit amet ".repeat(40);
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost };
  for (let i = 0; i < ENTRIES; i++) {
    const about = { id: id(i), parentId: i === 0 ? null : id(i - 1), timestamp };
    if (i === KEPT) kept = offset;
    if (i === COMPACTED) {
      put({ type: "compaction", ...about, summary: text, firstKeptEntryId: id(KEPT), tokensBefore: 100_000 });
      continue;
    }
    const content = [{ type: "text", text: `${i} ${text}` }];
    const reply = { role: "assistant", content, api: "a", provider: "p", model: "m", usage, stopReason: "stop" };
    const message = i % 2 === 0 ? { role: "user", content } : reply;
    put({ type: "message", ...about, message: { ...message, timestamp: 1_767_225_600_000 + i } });
  }
  closeSync(fd);
  return kept;
}
