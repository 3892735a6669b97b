import { textResult } from "./result.ts";
import type { Tool } from "./tool.ts";
import { characters, type UpdateInput, updateParameters } from "./update-todos.ts";

/** The maximum length of chibi's reflection, the model's notes for all contexts, in characters. */
export const MAX_REFLECTION = 10_000;

/** Makes the tool that replaces the model's notes for all contexts. If `save` throws, the model gets the error. */
export function createUpdateReflectionTool(save: (content: string) => void): Tool<UpdateInput> {
  return {
    name: "update_reflection",
    label: "update_reflection",
    description:
      "Replace your reflection: what you want to remember in all contexts and sessions, such as facts, preferences and notes to yourself. Keep it short; it is shown to you in every system prompt.",
    promptSnippet: "Keep what you remember across contexts",
    parameters: updateParameters("The whole reflection"),
    async execute(_toolCallId, { content }) {
      const size = characters(content);
      if (size > MAX_REFLECTION) {
        const text = `Error: Content exceeds the ${MAX_REFLECTION} character limit (${size} characters provided). Please shorten your reflection.`;
        return { ...textResult(text), isError: true };
      }
      save(content);
      return textResult(`Reflection updated successfully (${size} characters).`);
    },
  };
}
