import { expect, test } from "vitest";
import { replaceContext } from "../../src/compact/replace.ts";
import { assistant, result, sessionOf, shown, user } from "./talk.ts";

const talk = () => sessionOf([user("one"), assistant("two", ["c"]), result("c", "three"), user("four")]);
const messagesOf = (store: ReturnType<typeof talk>) => store.buildSessionContext().messages;

test("an echo stores nothing, even of other objects", () => {
  const store = talk();
  const count = store.getEntries().length;
  replaceContext(store, messagesOf(store));
  replaceContext(store, structuredClone(messagesOf(store)));
  expect(store.getEntries()).toHaveLength(count);
});

test("changed, removed and added messages are what the context then has", () => {
  const store = talk();
  const [one, two, three] = messagesOf(store);
  replaceContext(store, [
    one ?? user(""),
    two ?? user(""),
    { ...result("c", "shortened"), timestamp: three?.timestamp ?? 0 },
    { role: "custom", customType: "x", content: "added", display: true, timestamp: 0 },
  ]);
  expect(shown(store)).toEqual(["user: one", "assistant: two<toolCall>", "toolResult: shortened", "custom: added"]);
});

test("a changed summary becomes another compaction that keeps the same", () => {
  const store = talk();
  store.appendCompaction("before", store.getEntries()[3]?.id ?? "", 9);
  const [summary, ...rest] = messagesOf(store);
  if (summary?.role !== "compactionSummary") throw new Error("no summary");
  replaceContext(store, [{ ...summary, summary: "after" }, ...rest]);
  expect(shown(store)).toEqual(["summary: after", "user: four"]);
});

test("a removed summary is gone, also from what the next summary is made of", () => {
  const store = talk();
  store.appendCompaction("has a secret", store.getEntries()[3]?.id ?? "", 9);
  const [, ...rest] = messagesOf(store);
  replaceContext(store, rest);
  expect(shown(store)).toEqual(["user: four"]);
  expect(store.getEntries().findLast(({ type }) => type === "compaction")).toMatchObject({ summary: "" });
  const projection = store.buildSessionProjection();
  expect(JSON.stringify(projection.messages)).not.toContain("secret");
});

test.each([
  ["that keeps entries", true],
  ["that keeps none", false],
])("a summary %s may be replaced by a message, or everything be removed", (_, keeps) => {
  const store = talk();
  store.appendCompaction("summary", keeps ? (store.getEntries()[3]?.id ?? "") : null, 9);
  replaceContext(store, [{ ...user("AFTER"), timestamp: 5 }]);
  expect(shown(store)).toEqual([keeps ? "user: AFTER" : "custom: AFTER"]);
  replaceContext(store, []);
  expect(shown(store)).toEqual([]);
  store.appendMessage(user("next") as never);
  expect(shown(store)).toEqual(["user: next"]);
});

test("what has no content of its own to edit can be removed", () => {
  const store = sessionOf([
    { role: "bashExecution", command: "ls", output: "", cancelled: false, truncated: false, timestamp: 0 },
    user("one"),
  ]);
  replaceContext(store, [messagesOf(store)[1] ?? user("")]);
  expect(shown(store)).toEqual(["user: one"]);
});
