import { createHash } from "node:crypto";
import type { Todo, TodoStatus } from "./todo.ts";

/** A todo in the new list with its status in the previous list; no previous status if it is new. */
export interface TodoChange {
  readonly todo: Todo;
  /** An id made of the text and the number of equal texts before it, so it stays the same when the status changes. */
  readonly id: string;
  readonly before: TodoStatus | undefined;
}

/**
 * Compares a new list with the previous one. Todos correspond if they have the same text. Of several todos with the
 * same text, the first corresponds to the first of the previous list, and so on.
 */
export function todoChanges(before: readonly Todo[], after: readonly Todo[]): TodoChange[] {
  const left = new Map<string, TodoStatus[]>();
  for (const { content, status } of before) left.set(content, [...(left.get(content) ?? []), status]);
  const seen = new Map<string, number>();
  return after.map((todo) => {
    const nth = (seen.get(todo.content) ?? 0) + 1;
    seen.set(todo.content, nth);
    return { todo, id: idOf(todo.content, nth), before: left.get(todo.content)?.[nth - 1] };
  });
}

function idOf(content: string, nth: number): string {
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 8);
  return nth === 1 ? `task-${hash}` : `task-${hash}-${nth}`;
}
