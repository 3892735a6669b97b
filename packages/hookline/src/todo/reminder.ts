import type { CustomMessage } from "@hookline/runtime/engine";
import { type Todo, todoLines } from "./todo.ts";

/** The type of the messages that remind the model. */
export const REMINDER = "todo-reminder";

/** Makes the message that reminds the model of open todos. Source: spec/omp.md 4.5. */
export function todoReminder(open: readonly Todo[], attempt: number, maxAttempts: number): CustomMessage {
  const content = [
    "<system-reminder>",
    `You stopped with ${open.length} open ${open.length === 1 ? "todo" : "todos"} (reminder ${attempt} of ${maxAttempts}):`,
    todoLines(open),
    "Go on with them, or take those off the list that are done or no longer needed.",
    "</system-reminder>",
  ].join("\n");
  return { role: "custom", customType: REMINDER, content, display: false, timestamp: Date.now() };
}

/** Whether a reply ends with a question to the person, who must get the chance to answer. */
export function asksThePerson(reply: string): boolean {
  return /\?["'”’)\]*_`\s]*$/.test(reply);
}
