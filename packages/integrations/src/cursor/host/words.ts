import { type NativeAnswer, reasonOf, SILENCE } from "@hookline/bridge/kit";
import type { Fields } from "@hookline/ground";

/**
 * An answer for Cursor. If Cursor waits for a decision, one is always written, since an empty answer blocks. Source:
 * spec/bridge.md 3.
 */
export interface Words {
  /** The reason for a refusal, shown to the user and to the model. */
  readonly deny?: string;
  /** New arguments of a tool call. */
  readonly input?: Fields;
  /** Replaces the result of an MCP tool. */
  readonly output?: unknown;
  /** A message to the agent, which then continues instead of ending. */
  readonly followUp?: string;
  /** Texts for the model. */
  readonly context?: readonly string[];
}

/** Writes the decision at events for which Cursor needs one: a refusal if there is a reason, otherwise consent. */
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

/** Writes an answer as JSON; nothing at all if it is empty and Cursor needs no decision. */
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
