import type { HostUi } from "@hookline/runtime";
import { textResult } from "./result.ts";
import type { Tool } from "./tool.ts";

interface Question {
  readonly question: string;
  readonly options?: readonly string[];
}

const OTHER = "Something else…";

/** Makes the tool with which the model asks the person. A call is an error if no person can answer. */
export function createAskTool(ui: () => HostUi | undefined): Tool<{ readonly questions: readonly Question[] }> {
  return {
    name: "ask",
    label: "ask",
    description:
      "Ask the person one or more questions and wait for the answers. Give options where there are a few likely ones; another answer is always possible. Ask only what you cannot find out yourself.",
    promptSnippet: "Ask the person a question",
    executionMode: "sequential",
    parameters: {
      type: "object",
      required: ["questions"],
      properties: {
        questions: {
          type: "array",
          minItems: 1,
          items: {
            type: "object",
            required: ["question"],
            properties: {
              question: { type: "string" },
              options: { type: "array", items: { type: "string" }, description: "Likely answers" },
            },
          },
        },
      },
    },
    async execute(_toolCallId, { questions }, signal) {
      const person = ui();
      if (person === undefined)
        throw new Error("Nobody can answer in this mode. Decide yourself, and say what you took for granted.");
      const answers: { readonly question: string; readonly answer: string | undefined }[] = [];
      for (const { question, options = [] } of questions) {
        if (signal?.aborted) throw new Error("Operation aborted");
        answers.push({ question, answer: await answerTo(person, question, options, signal) });
      }
      const text = answers.map(({ question, answer }) => `${question}\n${answer ?? "(no answer)"}`).join("\n\n");
      return textResult(text, { answers });
    },
  };
}

async function answerTo(
  ui: HostUi,
  question: string,
  options: readonly string[],
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const dialog = { signal };
  if (options.length === 0) return ui.input?.(question, undefined, dialog);
  const chosen = await ui.select?.(question, [...options, OTHER], dialog);
  return chosen === OTHER ? ui.input?.(question, undefined, dialog) : chosen;
}
