import { join } from "node:path";
import { expect, test } from "vitest";
import { lentPlace } from "./lent.ts";

const user = (text: string) => ({ role: "user", content: [{ type: "text", text }], timestamp: 1 });
const reply = (text: string, more: object = {}) => ({
  role: "assistant",
  content: [{ type: "text", text }],
  api: "script",
  provider: "p",
  model: "m",
  usage: { input: 5, output: 7, cacheRead: 0, cacheWrite: 0, totalTokens: 12, cost: {} },
  stopReason: "stop",
  timestamp: 2,
  ...more,
});

test("a session that an extension makes for itself is in the agent's format and can be read by its parts", async () => {
  await using place = lentPlace();
  const pi = await place.use("pi-coding-agent");
  const folder = join(place.folder, "sessions");
  const session = pi.SessionManager.create(place.folder, folder);
  session.appendMessage(user("hello"));
  session.appendMessage(reply("hi"));
  const compaction = session.appendCompaction("so far", session.getEntries()[1].id, 100);
  session.appendMessage(user("on"));
  session.flush();
  const entries = session.getEntries();
  expect(pi.getLatestCompactionEntry(entries).id).toBe(compaction);
  const { messages } = pi.buildSessionContext(entries);
  expect(messages.map(({ role }: any) => role)).toEqual(["compactionSummary", "assistant", "user"]);
  const projection = pi.buildSessionProjection(entries);
  expect(projection.messages).toEqual(messages);
  expect(pi.buildContextEntries(entries).map(({ id }: any) => id)).toEqual(
    projection.entries.map(({ sourceEntry }: any) => sourceEntry.id),
  );
  expect(pi.sessionEntryToContextMessages(entries[0])).toEqual([user("hello")]);
  session.close();
  const lines = pi.parseSessionEntries(
    `${JSON.stringify({ type: "session", version: 3, id: "x" })}\nbroken\n${JSON.stringify(entries[0])}\n`,
  );
  expect(lines.map(({ type }: any) => type)).toEqual(["session", "message"]);
});

test("entries of the first version are brought up to date in place", async () => {
  await using place = lentPlace();
  const { migrateSessionEntries, CURRENT_SESSION_VERSION } = await place.use("pi-coding-agent");
  const entries: any[] = [
    { type: "session", id: "s", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/" },
    { type: "message", timestamp: "2026-01-01T00:00:00.000Z", message: user("a") },
    { type: "message", timestamp: "2026-01-01T00:00:00.000Z", message: user("b") },
  ];
  migrateSessionEntries(entries);
  expect(entries[0].version).toBe(CURRENT_SESSION_VERSION);
  expect(entries[2].parentId).toBe(entries[1].id);
});

test("a conversation is converted for a model, and to one text for a summary", async () => {
  await using place = lentPlace();
  const { convertToLlm, serializeConversation } = await place.use("pi-coding-agent");
  const custom = { role: "custom", customType: "t", content: "note", display: false, timestamp: 3 };
  const llm = convertToLlm([user("hello"), custom, reply("hi")]);
  expect(llm.map(({ role }: any) => role)).toEqual(["user", "user", "assistant"]);
  expect(serializeConversation(llm)).toBe("[User]: hello\n\n[User]: note\n\n[Assistant]: hi");
});

test("sizes are counted as the agent counts them", async () => {
  await using place = lentPlace();
  const pi = await place.use("pi-coding-agent");
  expect(pi.estimateTokens(user("12345678"))).toBe(2);
  expect(pi.calculateContextTokens(reply("hi").usage)).toBe(12);
  const { reserveTokens } = pi.DEFAULT_COMPACTION_SETTINGS;
  expect(pi.shouldCompact(100_001 - reserveTokens, 100_000)).toBe(true);
  expect(pi.shouldCompact(100_000 - reserveTokens, 100_000)).toBe(false);
  const entry = (message: object): object => ({ type: "message", id: "x", parentId: null, timestamp: "", message });
  const entries = [entry(reply("a")), entry(reply("b", { stopReason: "aborted" }))];
  expect(pi.getLastAssistantUsage(entries)).toEqual(reply("a").usage);
});

test("a prompt that was made from a skill is parsed", async () => {
  await using place = lentPlace();
  const { parseSkillBlock } = await place.use("pi-coding-agent");
  const text = '<skill name="sk" location="/s/SKILL.md">\nReferences are relative to /s.\n\nBODY\n</skill>';
  expect(parseSkillBlock(`${text}\n\ndo it`)).toEqual({
    name: "sk",
    location: "/s/SKILL.md",
    content: "References are relative to /s.\n\nBODY",
    userMessage: "do it",
  });
  expect(parseSkillBlock(text).userMessage).toBeUndefined();
  expect(parseSkillBlock("do it")).toBeNull();
});

test("the change between two texts is shown like the edit tool's", async () => {
  await using place = lentPlace();
  const { generateDiffString, generateUnifiedPatch } = await place.use("pi-coding-agent");
  const { diff, firstChangedLine } = generateDiffString("a\nb\nc\n", "a\nB\nc\n");
  expect(diff).toContain("-2 b\n+2 B");
  expect(firstChangedLine).toBe(2);
  expect(generateUnifiedPatch("f.txt", "a\n", "b\n")).toContain("--- f.txt\n+++ f.txt\n@@ -1,1 +1,1 @@\n-a\n+b");
});
