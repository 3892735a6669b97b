import { textResult } from "./result.ts";
import type { Tool } from "./tool.ts";
import { characters, type UpdateInput, updateParameters } from "./update-todos.ts";

/** Makes the tool that replaces the goals of the conversation context. If `save` throws, the model gets the error. */
export function createUpdateGoalsTool(save: (content: string) => void): Tool<UpdateInput> {
  return {
    name: "update_goals",
    label: "update_goals",
    description:
      "Replace the goals of this context: what the work is to achieve as a whole, above single tasks. They stay from prompt to prompt and are shown to you in the system prompt.",
    promptSnippet: "Keep the goals of this context",
    parameters: updateParameters("All goals, in markdown"),
    async execute(_toolCallId, { content }) {
      save(content);
      return textResult(`Goals updated (${characters(content)} characters).`);
    },
  };
}
