import { textResult } from "./result.ts";
import type { Tool } from "./tool.ts";

/** Arguments of the tools that write a text of the context. */
export type UpdateInput = { readonly content: string };

/** Makes the tool that replaces the todos of the context; `save` throws what the model is to be told. */
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

/** The parameters of a tool that takes one text. */
export function updateParameters(description: string): Tool["parameters"] {
  return { type: "object", required: ["content"], properties: { content: { type: "string", description } } };
}

/** How many characters a text has, as a person counts them. */
export function characters(text: string): number {
  return [...text].length;
}
