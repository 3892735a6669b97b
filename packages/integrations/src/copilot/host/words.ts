import { type NativeAnswer, reasonOf, SILENCE } from "@hookline/bridge/kit";
import type { Fields } from "@hookline/ground";

/**
 * An answer for Copilot CLI. In hooks of its own format, Copilot CLI ignores Claude Code's nested form, and does not
 * pass on stderr at exit code 2. `allow` is never written, since it would answer for the user. Source:
 * spec/hosts/copilot (pre-deny-json, pre-ask, pre-modified-only, pre-exit2), spec/bridge.md 3.
 */
export interface Words {
  /** The reason for refusing a tool call. */
  readonly deny?: string;
  /** The reason for asking the user about a tool call. Copilot CLI refuses the call if there is nobody to ask. */
  readonly ask?: string;
  /** The reason for `decision: block`, which refuses a prompt or the end of a run. */
  readonly block?: string;
  /** The reason for refusing a call about which Copilot CLI was going to ask the user. */
  readonly forbid?: string;
  /** New arguments of a tool call. */
  readonly args?: Fields;
  readonly prompt?: string;
  /** Replaces the result of a tool. */
  readonly result?: { readonly text: string; readonly isError: boolean };
  /** Texts for the model. */
  readonly context?: readonly string[];
  /** Lines that are shown to the user. */
  readonly notices?: readonly string[];
}

/** Writes an answer as JSON lines; nothing at all if it is empty. */
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
  // Copilot CLI shows the user nothing but lines of progress. Source: spec/hosts/copilot/pre-two-json.json.
  const progress = notices.map((message) => ({ type: "progress", message }));
  const lines = [...progress, ...(Object.keys(said).length === 0 ? [] : [said])];
  return lines.length === 0 ? SILENCE : { ...SILENCE, stdout: lines.map((line) => JSON.stringify(line)).join("\n") };
}
