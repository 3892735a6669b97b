import type { Message } from "@hookline/runtime";
import { expect, test } from "vitest";
import { INTERRUPTED_TEXT, interruptedResults, pairToolCalls } from "../../src/session/interrupted.ts";
import { convertToLlm, serializeConversation } from "../../src/session/to-llm.ts";
import { assistant, result, user } from "./talk.ts";

const bash = {
  role: "bashExecution",
  command: "ls",
  output: "",
  cancelled: false,
  truncated: false,
  timestamp: 5,
} as const;

function textOfUser(message: Message): unknown {
  const [converted] = convertToLlm([message]);
  expect(converted).toMatchObject({ role: "user", timestamp: 5 });
  return converted?.content;
}

test("commands of the user become text, with what became of them", () => {
  const cases: [object, string][] = [
    [{}, "Ran `ls`\n(no output)"],
    [{ output: "a\nb", exitCode: 0 }, "Ran `ls`\n```\na\nb\n```"],
    [{ exitCode: 2 }, "Ran `ls`\n(no output)\n\nCommand exited with code 2"],
    [{ cancelled: true, exitCode: 2 }, "Ran `ls`\n(no output)\n\n(command cancelled)"],
    [
      { output: "x", truncated: true, fullOutputPath: "/o" },
      "Ran `ls`\n```\nx\n```\n\n[Output truncated. Full output: /o]",
    ],
  ];
  for (const [more, text] of cases) expect(textOfUser({ ...bash, ...more })).toEqual([{ type: "text", text }]);
});

test("commands outside the context are left out", () => {
  expect(convertToLlm([{ ...bash, excludeFromContext: true }])).toEqual([]);
});

test("custom messages and summaries become the user's", () => {
  const note = { role: "custom", customType: "note", display: true, timestamp: 5 } as const;
  const image = [{ type: "image", data: "AAAA", mimeType: "image/png" }] as const;
  expect(textOfUser({ ...note, content: "hi" })).toEqual([{ type: "text", text: "hi" }]);
  expect(textOfUser({ ...note, content: image })).toEqual(image);
  expect(textOfUser({ role: "branchSummary", summary: "left", fromId: "a", timestamp: 5 })).toEqual([
    {
      type: "text",
      text: "The following is a summary of a branch that this conversation came back from:\n\n<summary>\nleft</summary>",
    },
  ]);
  expect(textOfUser({ role: "compactionSummary", summary: "all", tokensBefore: 1, timestamp: 5 })).toEqual([
    {
      type: "text",
      text: "The conversation history before this point was compacted into the following summary:\n\n<summary>\nall\n</summary>",
    },
  ]);
});

test("what a provider knows goes through as the same objects, what is unknown is left out", () => {
  const messages = [user("a"), assistant("b", ["c1"]), result("c1")];
  const converted = convertToLlm([...messages, { role: "system", content: "x", timestamp: 1 } as never]);
  expect(converted).toHaveLength(3);
  for (const [index, message] of messages.entries()) expect(converted[index]).toBe(message);
});

test("a conversation is serialised for a summary, long tool results cut", () => {
  const thinking = {
    ...assistant("so", ["c1"]),
    content: [{ type: "thinking" as const, thinking: "hm" }, ...assistant("so", ["c1", "c2"]).content],
  };
  const long = result("c1", "x".repeat(2100));
  expect(serializeConversation([user("a"), thinking, long, result("c2", ""), user("")])).toBe(
    [
      "[User]: a",
      "[Assistant thinking]: hm",
      "[Assistant]: so",
      '[Assistant tool calls]: look(at="c1"); look(at="c2")',
      `[Tool result]: ${"x".repeat(2000)}\n\n[... 100 more characters truncated]`,
    ].join("\n\n"),
  );
});

test("calls that were interrupted get a result each, in their order", () => {
  const messages = [user("a"), assistant("b", ["c1", "c2", "c3"]), result("c2")];
  const results = interruptedResults(messages, 7);
  expect(results.map(({ toolCallId, isError, timestamp }) => [toolCallId, isError, timestamp])).toEqual([
    ["c1", true, 7],
    ["c3", true, 7],
  ]);
  expect(results[0]?.content).toEqual([{ type: "text", text: INTERRUPTED_TEXT }]);
  expect(interruptedResults([...messages, ...results], 8)).toEqual([]);
  expect(interruptedResults([user("a")], 8)).toEqual([]);
});

test("every call has exactly its results right after it, whatever was lost or comes between", () => {
  const whole = [user("a"), assistant("b", ["c1"]), result("c1"), assistant("c"), user("d")];
  expect(pairToolCalls(whole, 7)).toBe(whole);
  const paired = pairToolCalls(
    [
      result("c0"),
      user("a"),
      assistant("b", ["c1", "c2"]),
      user("!"),
      result("c2"),
      result("c9"),
      assistant("c", ["c3"]),
    ],
    7,
  );
  expect(paired.map((message) => (message.role === "toolResult" ? message.toolCallId : message.role))).toEqual([
    "user",
    "assistant",
    "c2",
    "c1",
    "user",
    "assistant",
    "c3",
  ]);
});
