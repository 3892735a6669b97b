import { existsSync, readFileSync, statSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openSession, SessionManager } from "../../src/session/session.ts";
import type { StorageReport } from "../../src/session/storage.ts";
import { linesOf, scratch } from "./scratch.ts";
import { assistant, user } from "./talk.ts";

const timestamp = "2025-01-01T00:00:00.000Z";

function write(path: string, lines: readonly object[], rest = ""): void {
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join("") + rest);
}

const version1 = [
  { type: "session", id: "old", timestamp, cwd: "/project" },
  { type: "message", timestamp, message: user("one") },
  { type: "message", timestamp, message: assistant("two") },
  { type: "message", timestamp, message: { ...user("three"), role: "hookMessage", customType: "note", display: true } },
  { type: "compaction", timestamp, summary: "so far", firstKeptEntryIndex: 2, tokensBefore: 10 },
  { type: "message", timestamp, message: user("five") },
];

test("version 1 gets ids in a chain, and the index of the first kept entry becomes its id", () => {
  const path = join(scratch(), "v1.jsonl");
  write(path, version1);
  const session = SessionManager.open(path);
  const lines = linesOf(path);
  expect(lines[0]).toEqual({ ...version1[0], version: 3 });
  const entries = lines.slice(1);
  expect(entries.every((entry) => /^[0-9a-f]{8}$/.test(entry.id))).toBe(true);
  expect(new Set(entries.map((entry) => entry.id)).size).toBe(5);
  expect(entries.map((entry) => entry.parentId)).toEqual([null, ...entries.slice(0, -1).map((entry) => entry.id)]);
  expect(entries[3].firstKeptEntryId).toBe(entries[1].id);
  expect(entries[3]).not.toHaveProperty("firstKeptEntryIndex");
  expect(entries[2].message.role).toBe("custom");
  expect(session.getEntries()).toEqual(entries);
  expect(session.buildSessionContext().messages.map(({ role }) => role)).toEqual([
    "compactionSummary",
    "assistant",
    "custom",
    "user",
  ]);
});

test("version 2 keeps its ids and has its role renamed", () => {
  const path = join(scratch(), "v2.jsonl");
  const entries = [
    { type: "message", id: "a", parentId: null, timestamp, message: user("one") },
    {
      type: "message",
      id: "b",
      parentId: "a",
      timestamp,
      message: { role: "hookMessage", customType: "n", content: "x", display: true, timestamp: 1 },
    },
    { type: "from_the_future", id: "c", parentId: "b", timestamp, kept: [1] },
  ];
  write(path, [{ type: "session", version: 2, id: "old", timestamp, cwd: "/project" }, ...entries]);
  SessionManager.open(path);
  const lines = linesOf(path);
  expect(lines[0].version).toBe(3);
  expect(lines[2].message.role).toBe("custom");
  expect([lines[1], lines[3]]).toEqual([entries[0], entries[2]]);
});

test("a migrated file is private, complete and readable by a second opening without another change", () => {
  const path = join(scratch(), "v1.jsonl");
  write(path, version1);
  const session = SessionManager.open(path);
  session.appendMessage(assistant("six"));
  session.close();
  const bytes = readFileSync(path);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(SessionManager.open(path).getEntries()).toHaveLength(6);
  expect(readFileSync(path)).toEqual(bytes);
  expect(existsSync(`${path}.v1.bak`)).toBe(false);
});

test("a damaged file of an older version is kept next to the migrated one", () => {
  const path = join(scratch(), "v1.jsonl");
  write(path, version1, "{broken\n");
  const before = readFileSync(path);
  SessionManager.open(path);
  expect(linesOf(path)).toHaveLength(6);
  expect(readFileSync(`${path}.v1.bak`)).toEqual(before);
  expect(statSync(`${path}.v1.bak`).mode & 0o777).toBe(0o600);
});

test("a migration that fails is reported once and tried again; entries wait for it", async () => {
  const path = join(scratch(), "v1.jsonl");
  write(path, version1, "{broken\n");
  const before = readFileSync(path);
  symlinkSync(join(path, "nowhere"), `${path}.v1.bak`);
  const reports: StorageReport[] = [];
  const session = SessionManager.open(path, undefined, undefined, { onStorage: (report) => reports.push(report) });
  session.appendMessage(user("six"));
  session.appendMessage(user("seven"));
  expect(await session.flush()).toBe(false);
  expect(reports).toMatchObject([{ state: "failing", step: "migrate" }]);
  expect(readFileSync(path)).toEqual(before);
  expect(session.getEntries()).toHaveLength(7);

  unlinkSync(`${path}.v1.bak`);
  session.close();
  expect(linesOf(path)).toHaveLength(8);
  expect(linesOf(path).at(-1).message).toEqual(user("seven"));
});

test("ids are never replaced because the header lost its version", () => {
  const path = join(scratch(), "lost.jsonl");
  write(path, [
    { type: "session", id: "lost", timestamp, cwd: "/project" },
    { type: "message", id: "a", parentId: null, timestamp, message: user("one") },
  ]);
  const before = readFileSync(path);
  expect(
    SessionManager.open(path)
      .getEntries()
      .map(({ id }) => id),
  ).toEqual(["a"]);
  expect(readFileSync(path)).toEqual(before);
});

test("the agent's opening migrates under its lock and continues in the new file", () => {
  const path = join(scratch(), "v1.jsonl");
  write(path, version1);
  const opened = openSession({ kind: "file", path }, { cwd: "/project" });
  if (opened.state !== "open") throw new Error(opened.state);
  opened.session.appendMessage(user("six"));
  opened.session.close();
  expect(linesOf(path).map((line) => line.type)).toEqual([
    "session",
    "message",
    "message",
    "message",
    "compaction",
    "message",
    "message",
  ]);
  expect(existsSync(`${path}.lock`)).toBe(false);
});
