import { textResult } from "./result.ts";
import type { Tool } from "./tool.ts";

/** The arguments with which a model calls a tool that replaces its todos, goals or notes. */
export type UpdateInput = { readonly content: string };

/** Makes the tool that replaces the todos of the conversation context. If `save` throws, the model gets the error. */
export function createUpdateTodosTool(save: (content: string) => void): Tool<UpdateInput> {
  return {
    name: "update_todos",
    label: "update_todos",
    description:
      "Replace the todo list of this context: the tasks of this conversation, as a markdown checklist. It stays from prompt to prompt and is shown to you in the system prompt.",
    promptSnippet: "Keep the todo list of this context",
    parameters: updateParameters("The whole todo list, such as '- [ ] Task 1\\n- [x] Finished task'"),
    async execute(_toolCallId, { content }) {
      save(content);
      return textResult(`Todos updated (${characters(content)} characters).`);
    },
  };
}

/** Makes the schema for a tool whose only argument is a text. */
export function updateParameters(description: string): Tool["parameters"] {
  return { type: "object", required: ["content"], properties: { content: { type: "string", description } } };
}

/** Counts the characters of a text, one for each code point. */
export function characters(text: string): number {
  return [...text].length;
}
