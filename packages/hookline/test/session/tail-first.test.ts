import { statSync, truncateSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadHead, loadSession } from "../../src/session/load.ts";
import { readOutline, readOutlined } from "../../src/session/outline.ts";
import { SessionManager } from "../../src/session/session.ts";
import type { StorageReport } from "../../src/session/storage.ts";
import { linesOf, scratch } from "./scratch.ts";
import { assistant, user } from "./talk.ts";

const timestamp = "2025-01-01T00:00:00.000Z";

/** Writes a session of that many messages whose last compaction keeps what begins `kept` messages before the end. */
function large(path: string, count: number, kept: number): void {
  const lines: object[] = [{ type: "session", version: 3, id: "large", timestamp, cwd: "/project" }];
  const add = (entry: object) => lines.push({ ...entry });
  const id = (index: number) => index.toString(16).padStart(8, "0");
  let parentId: string | null = null;
  const next = (type: string, more: object) => {
    const own = id(lines.length);
    add({ type, id: own, parentId, timestamp, ...more });
    parentId = own;
    return own;
  };
  next("thinking_level_change", { thinkingLevel: "high" });
  next("session_info", { name: "the large one" });
  const labelled = next("message", { message: user("labelled") });
  next("label", { targetId: labelled, label: "early" });
  let firstKept = "";
  for (let index = 0; index < count; index++) {
    const said = next("message", {
      message: index % 2 === 0 ? user(`question ${index} ${"x".repeat(200)}`) : assistant(`answer ${index}`),
    });
    if (index === count - kept) firstKept = said;
  }
  next("compaction", { summary: "so far", firstKeptEntryId: firstKept, tokensBefore: 1 });
  next("message", { message: user("and now?") });
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

test("of a large compacted session only what its context needs is read", () => {
  const path = join(scratch(), "large.jsonl");
  large(path, 20_000, 30);
  const loaded = loadSession(path);
  if (loaded.state !== "session") throw new Error(loaded.state);
  expect(statSync(path).size).toBeGreaterThan(1 << 20);
  expect(loaded.entries).toHaveLength(32);
  expect(loaded.unread?.to).toBeGreaterThan(statSync(path).size - 20_000);

  const session = SessionManager.open(path);
  const whole = SessionManager.open(path, undefined, undefined, { tailFirstBytes: Number.POSITIVE_INFINITY });
  const context = session.buildSessionContext();
  expect(context.messages).toEqual(whole.buildSessionContext().messages);
  expect(context.messages).toHaveLength(32);
  expect(context.model).toEqual({ provider: "p1", modelId: "m1" });
  expect(context.thinkingLevel).toBe("high");
  expect(session.getSessionName()).toBe("the large one");
  expect(session.getLabel("00000003")).toBe("early");
  expect(session.getEntries()).toEqual(whole.getEntries());
});

test("a compaction that names the level saves looking for it, and a new id is had without the rest of the file", () => {
  const path = join(scratch(), "large.jsonl");
  large(path, 6000, 10);
  const lines = linesOf(path).map((line) => (line.type === "compaction" ? { ...line, thinkingLevel: "low" } : line));
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const reports: StorageReport[] = [];
  const session = SessionManager.open(path, undefined, undefined, { onStorage: (report) => reports.push(report) });
  truncateSync(path, 0);
  expect(session.buildSessionContext().thinkingLevel).toBe("low");
  const id = session.appendMessage(user("more"));
  expect(id).toMatch(/^[0-9a-f]{8}-/);
  session.appendContextEdit(session.buildSessionProjection().entries.at(-2)?.sourceEntry.id ?? "", null);
  expect(session.buildSessionContext().messages).toHaveLength(12);
  expect(reports).toEqual([]);
});

test("ids of new entries are free in the unread part too", () => {
  const path = join(scratch(), "large.jsonl");
  large(path, 6000, 10);
  const session = SessionManager.open(path);
  for (let index = 0; index < 50; index++) session.appendMessage(user(`more ${index}`));
  expect(() => session.branch("00000005")).not.toThrow();
  const ids = linesOf(path).map((line) => line.id);
  expect(new Set(ids).size).toBe(ids.length);
});

test("a move into the unread part reads it", () => {
  const path = join(scratch(), "large.jsonl");
  large(path, 6000, 10);
  const session = SessionManager.open(path);
  session.branch("00000003");
  expect(session.buildSessionContext()).toEqual({ messages: [user("labelled")], thinkingLevel: "high", model: null });
  expect(session.getChildren("00000003").map(({ type }) => type)).toEqual(["label"]);
});

test("a branch that leaves the kept range has a context of its own", () => {
  const path = join(scratch(), "large.jsonl");
  large(path, 6000, 10);
  const whole = SessionManager.open(path, undefined, undefined, { tailFirstBytes: Number.POSITIVE_INFINITY });
  const inKept = whole.getEntries().at(-6)?.id ?? "";
  const session = SessionManager.open(path);
  for (const each of [session, whole]) each.branch(inKept);
  expect(session.buildSessionContext()).toEqual(whole.buildSessionContext());
  expect(session.buildSessionContext().messages).toHaveLength(5998);
});

test("without a compaction everything is on the path and everything is read", () => {
  const path = join(scratch(), "large.jsonl");
  large(path, 6000, 10);
  const lines = linesOf(path).filter((line) => line.type !== "compaction");
  const joined = lines.map((line, index) => ({
    ...line,
    ...(index > 0 && { parentId: index === 1 ? null : lines[index - 1].id }),
  }));
  writeFileSync(path, joined.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const loaded = loadSession(path);
  expect(loaded.state === "session" && loaded.unread).toBeUndefined();
  expect(loaded.state === "session" && loaded.entries).toEqual(joined.slice(1));
});

test("a file that is taken away before its rest was read is reported, and what was read stays usable", () => {
  const path = join(scratch(), "large.jsonl");
  large(path, 6000, 10);
  const reports: StorageReport[] = [];
  const session = SessionManager.open(path, undefined, undefined, { onStorage: (report) => reports.push(report) });
  unlinkSync(path);
  expect(session.getEntries()).toHaveLength(12);
  expect(session.buildSessionContext().messages).toHaveLength(12);
  expect(reports).toMatchObject([{ state: "failing", step: "read", code: "ENOENT" }]);
});

test("a file that was cut short meanwhile is read as far as it goes", () => {
  const path = join(scratch(), "large.jsonl");
  large(path, 6000, 10);
  const session = SessionManager.open(path);
  truncateSync(path, 4000);
  expect(session.getEntries().length).toBeGreaterThan(12);
  expect(session.getEntries().length).toBeLessThan(60);
});

test("an outline knows the entries that parsing knows, however their lines are written", () => {
  const path = join(scratch(), "mixed.jsonl");
  const odd = [
    '{"type":"message","id":"plain","parentId":null,"timestamp":"","message":{}}',
    '{"type":"custom","customType":"x","data":{"id":"inner","parentId":"no"},"id":"late","parentId":"plain","timestamp":""}',
    ' {"type":"label","id":"spaced","parentId":"late","timestamp":"","targetId":"plain","label":"\\u00e9"}',
    '{"type":"label","id":"esc\\"aped","parentId":"sp\\u0061ced","timestamp":""}',
    '{"type":"message","id":"zwölf","parentId":"esc\\"aped","timestamp":""}',
    '{"type":"from_the_future","id":"0190a0a0-0000-7000-8000-000000000000","parentId":"zwölf"}',
    '{"type":"message","id":"no parent"}',
    '{"type":"session","id":"another","parentId":"plain"}',
    '{"type":"message","id":"","parentId":"plain"}',
    "{broken",
    "",
    '{"type":"message","id":"last","parentId":"no parent"}',
  ];
  const text = odd.map((line) => `${line}\n`).join("");
  writeFileSync(path, text);
  const head = { path, from: 0, to: Buffer.byteLength(text) };
  const { entries } = loadHead(head);
  const outline = readOutline(head);
  expect([...outline].map(([id, { type, parentId }]) => [id, type, parentId])).toEqual(
    entries.map(({ id, type, parentId }) => [id, type, parentId]),
  );
  expect([...outline.values()].map((entry) => readOutlined(path, entry))).toEqual(entries);
  expect(entries).toHaveLength(8);
});
