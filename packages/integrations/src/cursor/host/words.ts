import { type NativeAnswer, reasonOf, SILENCE } from "@hookline/bridge/kit";
import type { Fields } from "@hookline/ground";

/** Cursor's answers, always with a decision if Cursor waits for one: an empty answer blocks. Source: spec/bridge.md 3. */
export interface Words {
  /** A refusal, told to the person and to the model. */
  readonly deny?: string;
  /** New arguments of a tool call. */
  readonly input?: Fields;
  /** Replaces the result of an MCP tool. */
  readonly output?: unknown;
  /** The text to go on with. */
  readonly followUp?: string;
  /** Texts for the model. */
  readonly context?: readonly string[];
}

/** How Cursor is told yes and no at the events at which it waits for a decision. */
const DECISIONS: Readonly<Record<string, (reason: string | undefined) => Fields>> = {
  beforeSubmitPrompt: (reason) =>
    reason === undefined ? { continue: true } : { continue: false, user_message: reason },
  preToolUse: (reason) =>
    reason === undefined
      ? { permission: "allow" }
      : { permission: "deny", user_message: reason, agent_message: reason },
  subagentStart: (reason) =>
    reason === undefined ? { permission: "allow" } : { permission: "deny", user_message: reason },
};

/** Puts words together; nothing at all where there is nothing to say and nothing is waited for. */
export function inWords(event: string, { deny, input, output, followUp, context = [] }: Words): NativeAnswer {
  const said = {
    ...DECISIONS[event]?.(deny === undefined ? undefined : reasonOf(deny)),
    ...(input !== undefined && deny === undefined && { updated_input: input }),
    ...(output !== undefined && { updated_mcp_tool_output: output }),
    ...(followUp !== undefined && { followup_message: followUp }),
    ...(context.length > 0 && { additional_context: context.join("\n\n") }),
  };
  return Object.keys(said).length === 0 ? SILENCE : { ...SILENCE, stdout: JSON.stringify(said) };
}
