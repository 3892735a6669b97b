import { type Asker, ask } from "../hook/ask.ts";
import { type Halts, RUN_ENDED } from "../hook/halts.ts";
import { type TodoChange, todoChanges } from "../todo/change.ts";
import type { Todo } from "../todo/todo.ts";

/** An agent that asks its hooks about its list of todos. */
export interface TodoAsker extends Asker {
  readonly halts: Pick<Halts, "take">;
}

/** The todo list without what hooks refused, and for each refusal a text for the model. */
export interface AgreedTodos {
  readonly todos: readonly Todo[];
  readonly refusals: readonly string[];
}

/** Asks hooks about each new and each newly completed todo. Throws if a hook ends the run. */
export async function agreedTodos(
  asker: TodoAsker,
  lists: { readonly before: readonly Todo[]; readonly after: readonly Todo[] },
  signal: AbortSignal | undefined,
): Promise<AgreedTodos> {
  if (!asker.hooks.has("task.created") && !asker.hooks.has("task.completed"))
    return { todos: lists.after, refusals: [] };
  const todos: Todo[] = [];
  const refusals: string[] = [];
  for (const { todo, id, before } of todoChanges(lists.before, lists.after)) {
    const refusal = async (event: "task.created" | "task.completed"): Promise<string | undefined> => {
      const { answer } = await ask(asker, event, { id, subject: todo.content }, signal);
      if (asker.halts.take(answer.halt) !== undefined) throw new Error(RUN_ENDED);
      return answer.cancel === true ? reasonOf(answer.reason) : undefined;
    };
    const uncreated = before === undefined ? await refusal("task.created") : undefined;
    if (uncreated !== undefined) {
      refusals.push(`Not put on the list: ${todo.content}\n${uncreated}`);
      continue;
    }
    const open = isDone({ todo, before }) ? await refusal("task.completed") : undefined;
    if (open !== undefined) refusals.push(`Not completed: ${todo.content}\n${open}`);
    todos.push(open === undefined ? todo : { ...todo, status: before ?? "pending" });
  }
  return { todos, refusals };
}

function isDone({ todo, before }: Pick<TodoChange, "todo" | "before">): boolean {
  return todo.status === "completed" && before !== "completed";
}

function reasonOf(reason = ""): string {
  return reason.trim() === "" ? "A hook refused it." : reason;
}
