import type { HostUi } from "@hookline/runtime";
import { textOf } from "@hookline/runtime";
import { expect, test } from "vitest";
import { Halts } from "../../src/hook/halts.ts";
import { SessionManager } from "../../src/session/session.ts";
import { openTodos, todosOf } from "../../src/todo/todo.ts";
import { createAskTool } from "../../src/tool/ask.ts";
import { createTodoTool } from "../../src/tool/todo.ts";

const todos = [
  { content: "one", status: "completed" },
  { content: "two", status: "in_progress" },
  { content: "three", status: "pending" },
] as const;

test("the list is what the last result on the branch says, so it goes with the tree", async () => {
  const { content, details } = await createTodoTool().execute("c1", { todos }, undefined, undefined, {
    sessionManager: SessionManager.inMemory("/"),
    asker: { hooks: { has: () => false } as never, tell: () => {}, patience: {} as never, halts: new Halts(() => {}) },
  });
  expect(textOf(content)).toBe("2 of 3 left.\n- [x] one\n- [~] two\n- [ ] three");
  const store = SessionManager.inMemory("/");
  const before = store.appendMessage({ role: "user", content: "begin", timestamp: 0 });
  const about = { role: "toolResult", toolName: "todo", content, timestamp: 0 } as const;
  store.appendMessage({ ...about, toolCallId: "c1", details, isError: false });
  store.appendMessage({ ...about, toolCallId: "c2", details: { todos: "nonsense" }, isError: true });
  expect(todosOf(store)).toEqual(todos);
  expect(openTodos(todosOf(store)).map((todo) => todo.content)).toEqual(["two", "three"]);
  store.branch(before);
  expect(todosOf(store)).toEqual([]);
});

test("questions are put one after the other, with another answer always possible", async () => {
  const asked: string[] = [];
  const ui: HostUi = {
    select: async (title, options) => {
      asked.push(`${title} ${options.length}`);
      return title === "Colour?" ? "red" : options.at(-1);
    },
    input: async (title) => {
      asked.push(title);
      return "my own";
    },
  };
  const questions = [
    { question: "Colour?", options: ["red", "blue"] },
    { question: "Size?", options: ["small"] },
    { question: "Name?" },
  ];
  const { content } = await createAskTool(() => ui).execute("c", { questions }, undefined, undefined, undefined);
  expect(asked).toEqual(["Colour? 3", "Size? 2", "Size?", "Name?"]);
  expect(textOf(content)).toBe("Colour?\nred\n\nSize?\nmy own\n\nName?\nmy own");
});

test("without anybody to answer, a question is an error that says what to do", async () => {
  const tool = createAskTool(() => undefined);
  const call = tool.execute("c", { questions: [{ question: "Well?" }] }, undefined, undefined, undefined);
  await expect(call).rejects.toThrow(/Nobody can answer in this mode\. Decide yourself/);
});
