import { readFileSync } from "node:fs";
import type { Message } from "@hookline/runtime";
import { expect, test } from "vitest";
import { contextPaths } from "../../src/context/home.ts";
import { appendTranscript, TakenOut } from "../../src/context/transcript.ts";
import { SessionManager } from "../../src/session/session.ts";
import { scratch } from "./scratch.ts";

const user = (content: string): Message => ({ role: "user", content, timestamp: 1 });
const assistant = (text: string) =>
  ({
    role: "assistant",
    content: [{ type: "thinking", thinking: "hm" }, ...(text ? [{ type: "text", text }] : [])],
  }) as never;

test("what was said is added, without tool results, thoughts and empty replies", () => {
  const paths = contextPaths(scratch(), "work");
  const result = { role: "toolResult", content: [{ type: "text", text: "no" }] } as never;
  appendTranscript(paths, [user("one"), assistant(""), result, assistant("two")]);
  appendTranscript(paths, [user("three")]);
  appendTranscript(paths, []);
  expect(readFileSync(paths.transcript, "utf8")).toBe("[USER]: one\n\n[ASSISTANT]: two\n\n[USER]: three\n\n");
});

function talk(store = SessionManager.inMemory("/")) {
  const taken = new TakenOut();
  return {
    store,
    say: (text: string): string => store.appendMessage(user(text) as never),
    fresh: () => taken.fresh(store).map((message) => (message as any).content),
  };
}

test("each compaction gives what it took out of the conversation, once", () => {
  const { store, say, fresh } = talk();
  say("1");
  say("2");
  const third = say("3");
  expect(fresh()).toEqual([]);
  store.appendCompaction("sum", third, 10);
  say("4");
  expect(fresh()).toEqual(["1", "2"]);
  expect(fresh()).toEqual([]);
  store.appendCompaction("sum of all", null, 10);
  expect(fresh()).toEqual(["3", "4"]);
});

test("a fork from before a compaction gives what is new in it, and nothing again", () => {
  const { store, say, fresh } = talk();
  say("1");
  const second = say("2");
  store.appendCompaction("sum", say("3"), 10);
  expect(fresh()).toEqual(["1", "2"]);
  store.createBranchedSession(second);
  expect(fresh()).toEqual([]);
  say("another 3");
  store.appendCompaction("sum", null, 10);
  expect(fresh()).toEqual(["another 3"]);
});

test("what compactions of a session that is opened took out has been written down", () => {
  const folder = scratch();
  const before = talk(SessionManager.create(folder, folder));
  before.say("1");
  before.store.appendMessage(assistant("2"));
  before.store.appendCompaction("sum", before.say("3"), 10);
  const path = before.store.getSessionFile() as string;
  before.store.close();
  const after = talk(SessionManager.open(path, folder));
  expect(after.fresh()).toEqual([]);
  after.say("4");
  after.store.appendCompaction("sum", null, 10);
  expect(after.fresh()).toEqual(["3", "4"]);
  after.store.close();
});
