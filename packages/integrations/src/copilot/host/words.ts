import { type NativeAnswer, reasonOf, SILENCE } from "@hookline/bridge/kit";
import type { Fields } from "@hookline/ground";

/**
 * Copilot CLI's answers. Claude Code's nested form counts for nothing in a file of these events, and the stderr of exit
 * code 2 is not passed on. `allow` is never said: it would answer for the person.
 *
 * Source: spec/hosts/copilot (pre-deny-json, pre-ask, pre-modified-only, pre-exit2), spec/bridge.md 3.
 */
export interface Words {
  /** A refusal before a tool call. */
  readonly deny?: string;
  /** The reason for which Copilot CLI asks its person about a tool call; it refuses where nobody is there. */
  readonly ask?: string;
  /** `decision: block` with its reason: of a prompt and of an end. */
  readonly block?: string;
  /** A refusal where Copilot CLI would ask its person. */
  readonly forbid?: string;
  /** New arguments of a tool call. */
  readonly args?: Fields;
  readonly prompt?: string;
  /** Replaces the result of a tool. */
  readonly result?: { readonly text: string; readonly isError: boolean };
  /** Texts for the model. */
  readonly context?: readonly string[];
  /** Lines for the person. */
  readonly notices?: readonly string[];
}

/** Puts words together; nothing at all where there is nothing to say. */
export function inWords({
  deny,
  ask,
  block,
  forbid,
  args,
  prompt,
  result,
  context = [],
  notices = [],
}: Words): NativeAnswer {
  const said = {
    ...(deny !== undefined && { permissionDecision: "deny", permissionDecisionReason: reasonOf(deny) }),
    ...(ask !== undefined &&
      deny === undefined && { permissionDecision: "ask", permissionDecisionReason: reasonOf(ask) }),
    ...(block !== undefined && { decision: "block", reason: reasonOf(block) }),
    ...(forbid !== undefined && { behavior: "deny", message: reasonOf(forbid) }),
    ...(args !== undefined && deny === undefined && { modifiedArgs: args }),
    ...(prompt !== undefined && block === undefined && { modifiedPrompt: prompt }),
    ...(result !== undefined && {
      modifiedResult: { resultType: result.isError ? "failure" : "success", textResultForLlm: result.text },
    }),
    ...(context.length > 0 && { additionalContext: context.join("\n\n") }),
  };
  // A line of progress is the only thing that Copilot CLI shows a person. Source: spec/hosts/copilot/pre-two-json.json.
  const progress = notices.map((message) => ({ type: "progress", message }));
  const lines = [...progress, ...(Object.keys(said).length === 0 ? [] : [said])];
  return lines.length === 0 ? SILENCE : { ...SILENCE, stdout: lines.map((line) => JSON.stringify(line)).join("\n") };
}
