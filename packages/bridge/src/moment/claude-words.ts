import type { NativeAnswer } from "../client/native-answer.ts";
import { reasonOf, spoken } from "./words.ts";

/** An answer for an agent that reads Claude Code's output format. */
export interface ClaudeWords {
  /** Ends the run: only where the event knows it. */
  readonly stop?: string;
  /** `decision: block` with its reason. */
  readonly block?: string;
  /** A refusal before a tool call. */
  readonly deny?: string;
  /** Why the agent is to ask its person about a tool call: only where it does not run the call all the same. */
  readonly ask?: string;
  /** A refusal where the agent would ask its person. */
  readonly forbid?: string;
  /** New arguments of a tool call; they count only with `ask`, or with `allow`, which is said with them. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** Replaces the result of a tool, in the tool's own shape. */
  readonly output?: unknown;
  /** Texts for the model. */
  readonly context?: readonly string[];
  /** Lines for the person. */
  readonly notices?: readonly string[];
}

/** Puts words together; nothing at all where there is nothing to say. */
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
