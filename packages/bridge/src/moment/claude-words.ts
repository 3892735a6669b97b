import type { NativeAnswer } from "../client/native-answer.ts";
import { reasonOf, spoken } from "./words.ts";

/** An answer for an agent that reads Claude Code's output format. */
export interface ClaudeWords {
  /** Ends the run with this reason; only for events that have this field. */
  readonly stop?: string;
  /** Writes `decision: block` with this reason: a prompt is refused, and an agent that would stop continues. */
  readonly block?: string;
  /** Refuses a tool call with this reason. */
  readonly deny?: string;
  /** Has the agent ask its person about a tool call, for this reason; not for an agent that would just run it. */
  readonly ask?: string;
  /** Refuses, with this reason, a call about which the agent would ask its person. */
  readonly forbid?: string;
  /** New arguments of a tool call; they only have an effect with `ask` or `allow`, so `allow` is written with them. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** Replaces the result of a tool, in the tool's own shape. */
  readonly output?: unknown;
  /** Texts for the model. */
  readonly context?: readonly string[];
  /** Lines for the person. */
  readonly notices?: readonly string[];
}

/** Writes an answer in Claude Code's format; empty if there is nothing to say. */
export function inClaudeWords(
  event: string,
  { stop, block, deny, ask, forbid, input, output, context = [], notices = [] }: ClaudeWords,
): NativeAnswer {
  const specific = {
    ...(deny !== undefined && { permissionDecision: "deny", permissionDecisionReason: reasonOf(deny) }),
    ...(ask !== undefined &&
      deny === undefined && { permissionDecision: "ask", permissionDecisionReason: reasonOf(ask) }),
    ...(forbid !== undefined && { decision: { behavior: "deny", message: reasonOf(forbid) } }),
    ...(input !== undefined &&
      deny === undefined && { ...(ask === undefined && { permissionDecision: "allow" }), updatedInput: input }),
    ...(output !== undefined && { updatedToolOutput: output }),
    ...(context.length > 0 && { additionalContext: context.join("\n\n") }),
  };
  const said = {
    ...(stop !== undefined && { continue: false, stopReason: stop }),
    ...(block !== undefined && { decision: "block", reason: reasonOf(block) }),
    ...(notices.length > 0 && { systemMessage: notices.join("\n") }),
  };
  return spoken(event, said, specific);
}
