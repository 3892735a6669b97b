import type { NativeAnswer } from "@hookline/bridge/kit";
import { reasonOf, spoken } from "@hookline/bridge/kit";

/**
 * Gemini CLI's answers. Claude Code's `permissionDecision` is ignored by it, and the call runs; `ask` hangs for ever
 * without a person; a `tailToolCallRequest` asks for its own result again without end. None of them is ever written.
 *
 * Source: spec/hosts/gemini (pre-claude-deny, pre-block, post-tail), spec/bridge.md 3.
 */
export interface Words {
  /** Refuses, sends back, or takes the place of a result. */
  readonly deny?: string;
  /** Ends the run. */
  readonly stop?: string;
  /** New arguments of a tool call. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** The request to the model as it is to be sent. */
  readonly request?: Readonly<Record<string, unknown>>;
  /** A piece of the model's answer as it is to be shown. */
  readonly response?: Readonly<Record<string, unknown>>;
  /** The model is to be offered no tools. */
  readonly noTools?: true;
  /** Texts for the model. */
  readonly context?: readonly string[];
  /** Lines for the person. */
  readonly notices?: readonly string[];
}

/** Puts words together; nothing at all where there is nothing to say. */
export function inWords(event: string, words: Words): NativeAnswer {
  const { deny, stop, input, request, response, noTools, context = [], notices = [] } = words;
  const specific = {
    ...(input !== undefined && deny === undefined && { tool_input: input }),
    ...(request !== undefined && deny === undefined && { llm_request: request }),
    ...(response !== undefined && { llm_response: response }),
    ...(noTools && { toolConfig: { mode: "NONE" } }),
    ...(context.length > 0 && { additionalContext: context.join("\n\n") }),
  };
  const said = {
    ...(stop !== undefined && { continue: false, stopReason: reasonOf(stop) }),
    ...(deny !== undefined && { decision: "deny", reason: reasonOf(deny) }),
    ...(notices.length > 0 && { systemMessage: notices.join("\n") }),
  };
  return spoken(event, said, specific);
}
