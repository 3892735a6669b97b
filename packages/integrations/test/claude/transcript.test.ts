import { expect, test } from "vitest";
import type { Message } from "../../../runtime/src/catalog/message.ts";
import type { Scene } from "../../../runtime/src/hook/lane.ts";
import { Transcript } from "../../src/claude/hooks/transcript.ts";
import { user } from "../opened.ts";

const scene = { sessionId: "s1", cwd: "/" } as Scene;

function kept() {
  const texts = new Map<string, string>();
  let written = 0;
  const put = (path: string, before: string, text: string): void => {
    written += text.length;
    texts.set(path, before + text);
  };
  const transcript = new Transcript({
    write: (path, text) => put(path, "", text),
    append: (path, text) => put(path, texts.get(path) ?? "", text),
    read: (path) => texts.get(path),
    remove: (path) => void texts.delete(path),
    folder: () => {},
  });
  return { transcript, texts, written: () => written };
}

test("no byte of a conversation is written twice, for a session and for its sub-agents at once", () => {
  const { transcript, texts, written } = kept();
  const talks: Record<string, Message[]> = { session: [], "agent-1": [], "agent-2": [] };
  for (let turn = 0; turn < 50; turn += 1) {
    for (const [path, messages] of Object.entries(talks)) {
      messages.push(user(`${path} ${turn}`));
      transcript.refresh(path, messages, scene, new AbortController().signal);
      transcript.refresh(path, messages, scene, new AbortController().signal);
    }
  }
  const all = [...texts.values()].join("");
  expect(all.match(/"content"/g)).toHaveLength(150);
  expect(written()).toBe(all.length);
});

test("another conversation at the same place begins anew, and so does one that ends and is gone on with", () => {
  const { transcript, texts } = kept();
  const ended = new AbortController();
  const second = user("second");
  transcript.refresh("a", [user("first")], scene, ended.signal);
  transcript.refresh("a", [second], scene, ended.signal);
  const only = texts.get("a");
  expect(only).toContain("second");
  expect(only).not.toContain("first");
  ended.abort();
  texts.delete("a");
  transcript.refresh("a", [second], scene);
  expect(texts.get("a")).toBe(only);
});
