import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SessionManager } from "../../src/session/session.ts";
import type { StorageReport } from "../../src/session/storage.ts";
import { linesOf, scratch } from "./scratch.ts";
import { assistant, user } from "./talk.ts";

test("nothing is on disk before the first prompt, then everything is", async () => {
  const folder = join(scratch(), "sessions");
  const session = SessionManager.create("/project", folder);
  session.appendModelChange("p1", "m1");
  expect(await session.flush()).toBe(true);
  expect(existsSync(folder)).toBe(false);
  session.appendMessage(user("one"));
  const path = session.getSessionFile() ?? "";
  expect(linesOf(path).map((line) => line.type)).toEqual(["session", "model_change", "message"]);
  session.appendCustomEntry("state", 1);
  session.appendMessage(assistant("two"));
  expect(linesOf(path).map((line) => line.type)).toEqual(["session", "model_change", "message", "custom", "message"]);
  session.appendMessage(user("three"));
  expect(linesOf(path)).toHaveLength(6);
});

test("a session that ends without a prompt leaves nothing behind, one that ends without an answer keeps the prompt", () => {
  const folder = scratch();
  const session = SessionManager.create("/project", folder);
  session.appendModelChange("p1", "m1");
  session.close();
  expect(readdirSync(folder)).toEqual([]);
  const asked = SessionManager.create("/project", folder);
  asked.appendMessage(user("one"));
  asked.close();
  expect(linesOf(asked.getSessionFile() ?? "").at(-1)).toMatchObject({ message: { role: "user" } });
});

test("an eager session is on disk from its header on", () => {
  const session = SessionManager.create("/project", scratch(), {}, { eager: true });
  const path = session.getSessionFile() ?? "";
  expect(linesOf(path)).toEqual([session.getHeader()]);
  session.appendMessage(user("one"));
  expect(linesOf(path)).toHaveLength(2);
});

test("a session that was read continues at once, answer or not", () => {
  const folder = scratch();
  const path = join(folder, "s.jsonl");
  writeFileSync(
    path,
    `${JSON.stringify({ type: "session", version: 3, id: "s", timestamp: "2025-01-01T00:00:00.000Z", cwd: "/project" })}\n`,
  );
  SessionManager.open(path).appendMessage(user("one"));
  expect(linesOf(path)).toHaveLength(2);
});

test("an empty file becomes a session with its first entry", () => {
  const path = join(scratch(), "empty.jsonl");
  writeFileSync(path, "");
  const session = SessionManager.open(path, undefined, "/project");
  session.appendMessage(user("one"));
  expect(linesOf(path).map((line) => line.type)).toEqual(["session", "message"]);
});

test("what is appended after closing stays in memory and is reported once", () => {
  const reports: StorageReport[] = [];
  const session = SessionManager.create("/project", scratch(), {}, { onStorage: (report) => reports.push(report) });
  session.appendMessage(assistant("one"));
  session.close();
  session.appendMessage(user("two"));
  session.appendMessage(user("three"));
  expect(linesOf(session.getSessionFile() ?? "")).toHaveLength(2);
  expect(session.getEntries()).toHaveLength(3);
  expect(reports.map(({ state }) => state)).toEqual(["closed"]);
});

test("the clock is the one that was given", () => {
  const session = SessionManager.create("/project", scratch(), {}, { now: () => 0 });
  session.appendMessage(user("one"));
  expect(session.getHeader().timestamp).toBe("1970-01-01T00:00:00.000Z");
  expect(session.getLeafEntry()?.timestamp).toBe("1970-01-01T00:00:00.000Z");
  expect(session.getSessionFile()).toContain("/1970-01-01T00-00-00-000Z_");
});
