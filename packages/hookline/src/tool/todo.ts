import type { SessionManager } from "../session/session.ts";
import { openTodos, TODO_TOOL, type Todo, todoLines, todosOf } from "../todo/todo.ts";
import { textResult } from "./result.ts";
import { agreedTodos, type TodoAsker } from "./todo-agreed.ts";
import type { Tool } from "./tool.ts";

/** The context that the tool needs: the session with the current list, and the hooks to ask. */
interface TodoContext {
  readonly sessionManager: SessionManager;
  readonly asker: TodoAsker;
}

/** Makes the tool with which the model keeps its list of todos. The list is stored in the tool's results. */
export function createTodoTool(): Tool<{ readonly todos: readonly Todo[] }, TodoContext> {
  return {
    name: TODO_TOOL,
    label: "todo",
    description:
      "Keep a list of what is to be done. Every call gives the whole list, which takes the place of the last one. Set an item to in_progress when you begin it and to completed as soon as it is done.",
    promptSnippet: "Keep a list of what is to be done",
    promptGuidelines: ["Use todo for work of three or more steps, and keep it up to date."],
    executionMode: "sequential",
    parameters: {
      type: "object",
      required: ["todos"],
      properties: {
        todos: {
          type: "array",
          items: {
            type: "object",
            required: ["content", "status"],
            properties: {
              content: { type: "string", description: "What is to be done" },
              status: { type: "string", enum: ["pending", "in_progress", "completed"] },
            },
          },
        },
      },
    },
    async execute(_toolCallId, { todos: given }, signal, _onUpdate, { sessionManager, asker }) {
      const lists = { before: todosOf(sessionManager), after: given };
      const { todos, refusals } = await agreedTodos(asker, lists, signal);
      const left = openTodos(todos).length;
      const head = todos.length === 0 ? "The list is empty." : `${left} of ${todos.length} left.`;
      return textResult([head, todoLines(todos), ...refusals].filter((part) => part !== "").join("\n"), { todos });
    },
  };
}
