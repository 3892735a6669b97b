import type { SessionManager } from "../session/session.ts";

/** The status of a todo. */
export type TodoStatus = "pending" | "in_progress" | "completed";

/** One item of the model's list of todos. */
export interface Todo {
  readonly content: string;
  readonly status: TodoStatus;
}

/** The name of the tool with which the model writes the list. */
export const TODO_TOOL = "todo";

/** Returns the list of the current branch: the last result of the tool. So it follows forks and moves in the tree. */
export function todosOf(store: SessionManager): readonly Todo[] {
  for (const entry of store.getBranch().toReversed()) {
    if (entry.type !== "message" || entry.message?.role !== "toolResult") continue;
    const { toolName, isError, details } = entry.message;
    if (toolName === TODO_TOOL && !isError)
      return readTodos((details as { readonly todos?: unknown } | undefined)?.todos);
  }
  return [];
}

/** Returns the todos that are not completed. */
export function openTodos(todos: readonly Todo[]): readonly Todo[] {
  return todos.filter(({ status }) => status !== "completed");
}

/** Formats the list as lines of Markdown. */
export function todoLines(todos: readonly Todo[]): string {
  return todos.map(({ content, status }) => `- [${MARKS[status]}] ${content}`).join("\n");
}

const MARKS: Readonly<Record<TodoStatus, string>> = { pending: " ", in_progress: "~", completed: "x" };

function readTodos(value: unknown): readonly Todo[] {
  if (!Array.isArray(value)) return [];
  return value.filter(
    (item): item is Todo =>
      typeof item === "object" &&
      item !== null &&
      typeof (item as Todo).content === "string" &&
      Object.hasOwn(MARKS, (item as Todo).status),
  );
}
