import type { ParameterSchema } from "../provider/provider.ts";
import { textResult } from "../tool/result.ts";
import type { Tool } from "../tool/tool.ts";
import type { SessionHooks } from "./session-hooks.ts";

type Given = Parameters<SessionHooks["add"]>[0];

/** The parts of the tool with which the model registers hooks. The j-cli dialect provides its names and schema. */
export interface RegisterHookParts {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly parameters: ParameterSchema;
  readonly hooks: SessionHooks;
}

/** Makes the tool with which the model registers hooks for the session. A person approves each. Source: seed 003. */
export function createRegisterHookTool({ name, aliases, parameters, hooks }: RegisterHookParts): Tool<Given> {
  return {
    name,
    aliases,
    label: name,
    description:
      "Register, list or remove hooks of this session: shell commands or prompts that run at an event. A person must agree to every change. Use action help first.",
    promptSnippet: "Register, list or remove hooks of this session",
    executionMode: "sequential",
    parameters,
    async execute(_toolCallId, given, signal) {
      const { isError, text } = await answerTo(hooks, given, signal);
      return { ...textResult(text), isError };
    },
  };
}

async function answerTo(
  hooks: SessionHooks,
  given: Given,
  signal: AbortSignal | undefined,
): Promise<ReturnType<SessionHooks["list"]>> {
  if (given["action"] === "list") return hooks.list();
  if (given["action"] === "help") return hooks.help();
  if (given["action"] === "remove") return hooks.remove(given, signal);
  return hooks.add(given, signal);
}
