import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { todosOf } from "../../src/todo/todo.ts";
import { Desk } from "../authors/desk.ts";
import { runAgent } from "../support/running.ts";

const list = (...todos: readonly (readonly [content: string, status: string])[]): string =>
  `  - toolCalls: [{ name: todo, arguments: { todos: ${JSON.stringify(todos.map(([content, status]) => ({ content, status })))} } }]\n`;

const settings = (hooks: Readonly<Record<string, string>>): string =>
  JSON.stringify({
    hooks: Object.fromEntries(
      Object.entries(hooks).map(([event, command]) => [event, [{ hooks: [{ type: "command", command }] }]]),
    ),
  });

/** Runs a prompt in which the model writes these lists, one after the other. */
async function run(hooks: Readonly<Record<string, string>>, ...lists: readonly string[]) {
  const desk = new Desk();
  desk.write("~/.claude/settings.json", settings(hooks));
  const replies = `${lists.join("")}  - text: "Done?"\n    repeat: true\n`;
  await using running = await runAgent(desk, { replies, args: ["--tools", "todo"] });
  const { agent } = running.assembled;
  const result = await agent.prompt("Plan");
  const results = agent.messages().flatMap((message) => (message.role === "toolResult" ? [message] : []));
  const said = existsSync(desk.path("heard")) ? desk.read("heard").trim().split("\n") : [];
  return {
    result,
    said: said.map((line) => JSON.parse(line)),
    todos: todosOf(agent.core.store).map(({ content, status }) => `${content} ${status}`),
    texts: results.map(({ content }) => content.map((block) => (block.type === "text" ? block.text : "")).join("")),
  };
}

const hear = 'cat >> "$CLAUDE_PROJECT_DIR/heard"; echo >> "$CLAUDE_PROJECT_DIR/heard"';

test("hooks are told of each new item once, and of each completed one, with the same id", async () => {
  const { said, todos } = await run(
    { TaskCreated: hear, TaskCompleted: hear },
    list(["a", "pending"], ["b", "completed"], ["a", "pending"]),
    list(["b", "completed"], ["a", "completed"], ["a", "in_progress"]),
  );
  const heard = said.map(({ hook_event_name: name, task_subject: subject, task_id: id }) => [name, subject, id]);
  const [a, b] = [heard[0]?.[2], heard[1]?.[2]];
  expect(heard).toEqual([
    ["TaskCreated", "a", a],
    ["TaskCreated", "b", b],
    ["TaskCompleted", "b", b],
    ["TaskCreated", "a", `${a}-2`],
    ["TaskCompleted", "a", a],
  ]);
  expect(a).not.toBe(b);
  expect(todos).toEqual(["b completed", "a completed", "a in_progress"]);
});

test("exit code 2 leaves an item out, or as it was, and the model is told why", async () => {
  const { todos, texts } = await run(
    {
      TaskCreated: 'grep -q "no such" && { echo "name a file" >&2; exit 2; }; exit 0',
      TaskCompleted: 'echo "the tests fail" >&2; exit 2',
    },
    list(["no such thing", "pending"], ["write it", "in_progress"]),
    list(["write it", "completed"]),
  );
  expect(texts).toEqual([
    "1 of 1 left.\n- [~] write it\nNot put on the list: no such thing\nname a file",
    "1 of 1 left.\n- [~] write it\nNot completed: write it\nthe tests fail",
  ]);
  expect(todos).toEqual(["write it in_progress"]);
});

test("continue: false ends the run, and the list stays as it was", async () => {
  const { result, todos } = await run(
    { TaskCompleted: `echo '{"continue": false, "stopReason": "enough"}'` },
    list(["a", "pending"]),
    list(["a", "completed"], ["b", "pending"]),
  );
  expect(result).toEqual({ kind: "stopped", reason: "enough", halt: true });
  expect(todos).toEqual(["a pending"]);
});
