import { openTodos, TODO_TOOL, type Todo, todoLines } from "../todo/todo.ts";
import { textResult } from "./result.ts";
import type { Tool } from "./tool.ts";

/** Makes the tool with which the model keeps a list of what it has to do. The list lives in its results. */
export function createTodoTool(): Tool<{ readonly todos: readonly Todo[] }> {
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
    async execute(_toolCallId, { todos }) {
      const left = openTodos(todos).length;
      const head = todos.length === 0 ? "The list is empty." : `${left} of ${todos.length} left.`;
      return textResult([head, todoLines(todos)].filter((part) => part !== "").join("\n"), { todos });
    },
  };
}
