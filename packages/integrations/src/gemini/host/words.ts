import type { NativeAnswer } from "@hookline/bridge/kit";
import { reasonOf, spoken } from "@hookline/bridge/kit";

/**
 * An answer for Gemini CLI. It ignores Claude Code's `permissionDecision` and runs the call; `ask` hangs forever if
 * there is no user; a `tailToolCallRequest` triggers itself without end. None of these is ever written.
 *
 * Source: spec/hosts/gemini (pre-claude-deny, pre-block, post-tail), spec/bridge.md 3.
 */
export interface Words {
  /** The reason for refusing the event or for making the agent continue, or the text that replaces a result. */
  readonly deny?: string;
  /** The reason for ending the run. */
  readonly stop?: string;
  /** New arguments of a tool call. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** The changed request to the model. */
  readonly request?: Readonly<Record<string, unknown>>;
  /** A changed piece of the model's answer, for display only. */
  readonly response?: Readonly<Record<string, unknown>>;
  /** Whether the model is offered no tools in this request. */
  readonly noTools?: true;
  /** Texts for the model. */
  readonly context?: readonly string[];
  /** Lines that are shown to the user. */
  readonly notices?: readonly string[];
}

/** Writes an answer as JSON; nothing at all if it is empty. */
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
