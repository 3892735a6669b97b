import { readFileSync } from "node:fs";
import type { Message } from "@hookline/runtime";
import { expect, test } from "vitest";
import { contextPaths } from "../../src/context/home.ts";
import { appendTranscript, compactedSince } from "../../src/context/transcript.ts";
import { SessionManager } from "../../src/session/manager.ts";
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

test("each compaction gives what it took out of the conversation, once", () => {
  const store = SessionManager.inMemory("/");
  const say = (text: string): string => store.appendMessage(user(text) as never);
  const since = (seen?: string) => compactedSince(store.getBranch(), seen).map((message) => (message as any).content);
  say("1");
  say("2");
  const third = say("3");
  expect(since()).toEqual([]);
  const first = store.appendCompaction("sum", third, 10);
  say("4");
  expect(since()).toEqual(["1", "2"]);
  expect(since(first)).toEqual([]);
  store.appendCompaction("sum of all", null, 10);
  expect(since()).toEqual(["1", "2", "3", "4"]);
  expect(since(first)).toEqual(["3", "4"]);
});
