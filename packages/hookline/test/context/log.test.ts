import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keptByRound } from "../../../runtime/test/heap.ts";
import { contextPaths } from "../../src/context/home.ts";
import { ContextLog } from "../../src/context/log.ts";
import { Partitions } from "../../src/context/partitions.ts";
import { SessionManager } from "../../src/session/session.ts";
import { linesOf } from "../mail/scratch.ts";
import { scratch } from "./scratch.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/;
const read = (path: string): any[] => linesOf(path).map((line) => JSON.parse(line));
const brief = (lines: readonly any[]): string[] =>
  lines.map(({ entry_type, from, to, content }) => `${entry_type} ${from}>${to}: ${content}`);
const ENTRIES = 1000;

function place() {
  const home = scratch();
  const paths = contextPaths(home, "work");
  const store = SessionManager.inMemory(home);
  const log = new ContextLog(() => 0);
  const follow = (opening?: string) =>
    log.follow({ paths, store, speakers: { context: "work", user: "alice" }, opening });
  const say = (text: string) => store.appendMessage({ role: "user", content: text, timestamp: 1 });
  const reply = (text: string, ...calls: { name: string; arguments: object }[]) =>
    store.appendMessage({
      role: "assistant",
      content: [
        { type: "thinking", thinking: "hm" },
        ...(text === "" ? [] : [{ type: "text", text }]),
        ...calls.map((call, index) => ({ type: "toolCall", id: `c${index}`, ...call })),
      ],
    } as never);
  const active = join(paths.logFolder, "active.jsonl");
  return { paths, store, log, follow, say, reply, active };
}

test("every message, call and result is a line of its own, in the transcript and in the window", () => {
  const { paths, store, follow, say, reply, active } = place();
  say("What is in a.txt?");
  follow();
  reply("Let me look.", { name: "read", arguments: { path: "a.txt" } });
  store.appendMessage({
    role: "toolResult",
    toolCallId: "c0",
    toolName: "read",
    content: [{ type: "text", text: "rivers" }],
    isError: false,
    timestamp: 1,
  });
  reply("Rivers.");
  follow();
  follow();
  const expected = [
    "context_created system>work: Context created",
    "message alice>work: What is in a.txt?",
    "message work>user: Let me look.",
    'tool_call work>read: {"path":"a.txt"}',
    "tool_result read>work: rivers",
    "message work>user: Rivers.",
  ];
  expect(brief(read(active))).toEqual(expected);
  expect(brief(read(paths.window))).toEqual(expected);
  const [anchor] = read(paths.window);
  expect(anchor.metadata.transcript_anchor_id).toBe(read(active)[0].id);
  const ids = read(active).map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const line of read(active)) {
    expect(line.id).toMatch(UUID);
    expect(Number.isInteger(line.timestamp)).toBe(true);
  }
  expect(read(paths.window).map(({ id }) => id)).toEqual(ids);
  expect(JSON.parse(readFileSync(join(paths.logFolder, "manifest.json"), "utf8"))).toMatchObject({
    version: 1,
    active_partition: "active.jsonl",
    partitions: [],
    rotation_policy: { max_entries: 1000, max_age_seconds: 2_592_000, max_tokens: 100_000 },
  });
});

test("a compaction starts a new window, and the transcript continues", () => {
  const { paths, store, follow, say, reply, active } = place();
  say("one");
  reply("first");
  const kept = say("two");
  follow();
  store.appendCompaction("About one.", kept, 10);
  follow();
  reply("second");
  follow();
  expect(brief(read(paths.window))).toEqual([
    "compaction system>work: Context compacted",
    "message alice>work: two",
    "message work>user: second",
  ]);
  expect(read(paths.window)[0].metadata.summary).toBe("About one.");
  expect(brief(read(active))).toEqual([
    "context_created system>work: Context created",
    "message alice>work: one",
    "message work>user: first",
    "message alice>work: two",
    "compaction system>work: Context compacted",
    "message work>user: second",
  ]);
});

test("clearing is an archival anchor; a message that a hook took out is not in the window", () => {
  const { paths, store, follow, say, active } = place();
  say("one");
  follow();
  store.resetLeaf();
  store.appendThinkingLevelChange("off");
  follow();
  expect(brief(read(paths.window))).toEqual(["archival system>work: Context archived/cleared"]);
  const gone = say("two");
  say("three");
  follow();
  store.appendContextEdit(gone, null);
  follow();
  expect(brief(read(paths.window)).slice(1)).toEqual(["message alice>work: three"]);
  expect(brief(read(active)).slice(2)).toEqual([
    "archival system>work: Context archived/cleared",
    "message alice>work: two",
    "message alice>work: three",
  ]);
});

test("the context's own opening stands behind the anchor, and a change of it in the transcript", () => {
  const { paths, follow, say, active } = place();
  say("one");
  follow("Be brief.");
  say("two");
  follow("Be kind.");
  const opening = read(paths.window)[1];
  expect(opening).toMatchObject({ entry_type: "system_prompt", from: "system", to: "work", content: "Be kind." });
  expect(opening.metadata.hash).toMatch(/^[0-9a-f]{64}$/);
  expect(brief(read(active))).toEqual([
    "context_created system>work: Context created",
    "system_prompt_changed system>work: Be brief.",
    "message alice>work: one",
    "system_prompt_changed system>work: Be kind.",
    "message alice>work: two",
  ]);
});

test("going back in the tree changes the window and adds only what is new to the transcript", () => {
  const { paths, store, follow, say, active } = place();
  const one = say("one");
  say("two");
  follow();
  store.branch(one);
  say("other");
  follow();
  const lines = ["context_created system>work: Context created", "message alice>work: one"];
  expect(brief(read(paths.window))).toEqual([...lines, "message alice>work: other"]);
  expect(brief(read(active))).toEqual([...lines, "message alice>work: two", "message alice>work: other"]);
});

test("what a session was opened with is not written again, though it was said under the same clock", () => {
  const home = scratch();
  const paths = contextPaths(home, "work");
  const active = join(paths.logFolder, "active.jsonl");
  const log = new ContextLog(() => 0);
  const follow = (store: SessionManager) =>
    log.follow({ paths, store, speakers: { context: "work", user: "user" }, opening: undefined });
  const first = SessionManager.create(home, home, {}, { eager: true });
  first.appendMessage({ role: "user", content: "old", timestamp: 1 });
  follow(first);
  first.close();
  const second = SessionManager.create(home, home, {}, { eager: true });
  second.appendMessage({ role: "user", content: "other", timestamp: 1 });
  follow(second);
  second.close();
  const again = SessionManager.open(first.getSessionFile() as string, home);
  follow(again);
  again.appendMessage({ role: "user", content: "new", timestamp: 1 });
  follow(again);
  again.close();
  const said = read(active).filter(({ entry_type }) => entry_type === "message");
  expect(said.map(({ content }) => content)).toEqual(["old", "other", "new"]);
});

test("what is said after the clock was set back is written", () => {
  const { paths, active } = place();
  let now = Date.now();
  const store = SessionManager.create(paths.folder, paths.folder, {}, { now: () => now });
  const log = new ContextLog(() => now);
  now -= 3_600_000;
  store.appendMessage({ role: "user", content: "earlier", timestamp: 1 });
  log.follow({ paths, store, speakers: { context: "work", user: "user" }, opening: undefined });
  expect(brief(read(active)).at(-1)).toBe("message user>work: earlier");
});

test("nothing is remembered of what was said in sessions that are gone", async () => {
  const { paths, log } = place();
  const talk = (sessions: number) => {
    for (let session = 0; session < sessions; session++) {
      const store = SessionManager.inMemory(paths.folder);
      for (let said = 0; said < ENTRIES; said++) store.appendMessage({ role: "user", content: "a", timestamp: 1 });
      log.follow({ paths, store, speakers: { context: "work", user: "user" }, opening: undefined });
    }
  };
  talk(10);
  const kept = await keptByRound(() => talk(10));
  // An id in a set takes more than forty.
  expect(kept / (10 * ENTRIES)).toBeLessThan(15);
});

test("a full part of the transcript is put aside, and the manifest says what it holds", () => {
  const folder = join(scratch(), "transcript");
  const line = (n: number) =>
    ({ id: String(n), timestamp: n, from: "a", to: "b", content: "abcd", entry_type: "message" }) as const;
  const transcript = new Partitions(folder);
  transcript.append(
    Array.from({ length: 1000 }, (_, n) => line(n)),
    1000,
  );
  // Another process goes on.
  new Partitions(folder).append([line(1000)], 1000_000);
  expect(readdirSync(join(folder, "partitions"))).toEqual(["0-999.jsonl"]);
  expect(read(join(folder, "active.jsonl")).map(({ id }) => id)).toEqual(["1000"]);
  const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
  const part = { file: "partitions/0-999.jsonl", start_ts: 0, end_ts: 999, entry_count: 1000, token_count: 2000 };
  expect(manifest.partitions).toEqual([part]);
  const old = new Partitions(folder);
  old.append([line(3_000_000)], 2_593_001_000);
  expect(readdirSync(join(folder, "partitions")).sort()).toEqual(["0-999.jsonl", "1000-1000.jsonl"]);
});

test("chibi's transcript continues where its manifest says, and nowhere else", () => {
  const folder = join(scratch(), "transcript");
  mkdirSync(folder);
  const manifest = join(folder, "manifest.json");
  const line = { id: "1", timestamp: 1, from: "a", to: "b", content: "x", entry_type: "message" } as const;
  writeFileSync(manifest, JSON.stringify({ version: 1, active_partition: "context.jsonl", partitions: [], own: 1 }));
  new Partitions(folder).append([line], 1);
  expect(read(join(folder, "context.jsonl"))).toEqual([line]);
  writeFileSync(manifest, JSON.stringify({ active_partition: "../../x.jsonl" }));
  new Partitions(folder).append([line], 1);
  expect(read(join(folder, "active.jsonl"))).toEqual([line]);
  writeFileSync(manifest, "[");
  new Partitions(folder).append([line], 1);
  expect(read(join(folder, "active.jsonl"))).toHaveLength(2);
});

test("a fork writes nothing again that was said before it", () => {
  const { store, follow, say, reply, active } = place();
  say("one");
  reply("two");
  follow();
  const before = brief(read(active));
  store.createBranchedSession(store.getLeafId() as string);
  follow();
  expect(brief(read(active))).toEqual(before);
  say("three");
  follow();
  expect(brief(read(active))).toEqual([...before, "message alice>work: three"]);
});
