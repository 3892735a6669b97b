import { createHash } from "node:crypto";
import type { Todo, TodoStatus } from "./todo.ts";

/** An item of a new list, and its status in the previous list; without that it is new. */
export interface TodoChange {
  readonly todo: Todo;
  /**
   * Stays the same when the item changes: it is derived from the text, and from how often the text occurs in the list.
   */
  readonly id: string;
  readonly before: TodoStatus | undefined;
}

/**
 * Compares a new list with the previous one. Items are identified by their text; if several have the same text, the
 * first corresponds to the previous first.
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
