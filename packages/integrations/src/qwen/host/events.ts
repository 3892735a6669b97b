import type { HostCall, HostHooks } from "@hookline/bridge/kit";
import {
  askCall,
  askCompaction,
  askResult,
  askStart,
  callMoments,
  claudeCall,
  compactedRow,
  doneRow,
  durationIn,
  endRow,
  eventsOf,
  fieldsOf,
  type HostRow,
  type HostToolCall,
  inClaudeWords,
  maybeText,
  objectIn,
  permissionRow,
  promptRow,
  RESULT_MOMENTS,
  type ResultVerdict,
  readClaude,
  spawnedRow,
  startReason,
  stopRow,
  taken,
  textIn,
  toldOf,
  typedPrompt,
  type ClaudeWords as Words,
} from "@hookline/bridge/kit";
import { type Fields, isFields } from "@hookline/ground";
import { textOf } from "@hookline/runtime";
import { qwenTools } from "../tools.ts";

const WANTED = "wanted by hooks";

/** Qwen Code's time limit for a hook, as the adapter sets it in the settings, in ms. */
const WAIT_MS = 60_000;

const callOf = claudeCall(qwenTools);

const prompt = promptRow((stop) => ({ stop }), { name: "qwen", label: "Qwen Code" });

/** Qwen Code's events that have a counterpart in the catalog. Source: spec/hosts/qwen. */
const table: Readonly<Record<string, HostRow<Words>>> = {
  SessionStart: {
    moments: ["session.start"],
    async say({ source }, hooks) {
      // Qwen Code fires `SessionStart` after a compaction too, but the session is not a new one.
      const { context } = source === "compact" ? { context: [] } : await askStart(hooks, startReason(source));
      return { context, notices: hooks.notices() };
    },
  },
  SessionEnd: endRow(5_000),
  UserPromptSubmit: {
    ...prompt,
    prompt: (payload) => ({
      ...typedPrompt(payload),
      ...(payload["submitted_prompt"] !== undefined && { from: "person" }),
    }),
  },
  PreToolUse: {
    moments: callMoments(qwenTools),
    refuse: (deny) => ({ deny }),
    async say(payload, hooks) {
      const call = callOf(payload, hooks);
      const { refused, ask, context, args } = await askCall(hooks, call);
      if (refused !== undefined) return { deny: [refused, ...context].join("\n\n") };
      const deny = rewritten(payload, args, hooks);
      if (deny !== undefined) return { deny };
      // Qwen Code ignores context before a call, so the context is kept for the call's result.
      hooks.memory.set(waitingFor(call), context);
      return ask === undefined ? undefined : { ask };
    },
  },
  PermissionRequest: permissionRow(callOf),
  PostToolUse: {
    moments: RESULT_MOMENTS,
    async say(payload, hooks) {
      const content = contentOf(objectIn(payload, "tool_response"));
      const verdict = await resultOf(payload, { content, isError: false }, hooks);
      const text = verdict.halt ?? (verdict.content && (textOf(verdict.content) || "(nothing is shown)"));
      if (text === undefined) return { context: verdict.context };
      // In Qwen Code, `stop` only replaces this result, and the context is dropped. So the text and the context become
      // one reason.
      return { stop: [text, ...verdict.context].join("\n\n") };
    },
  },
  PostToolUseFailure: {
    moments: RESULT_MOMENTS,
    async say(payload, hooks) {
      const content = [{ type: "text" as const, text: maybeText(payload, "error") ?? "" }];
      const { content: changed, context } = await resultOf(payload, { content, isError: true }, hooks);
      return { context, notices: changed === undefined ? [] : [SHOWN] };
    },
  },
  PreCompact: {
    moments: ["compact.before"],
    async say({ trigger, custom_instructions }, hooks) {
      const { instructions } = await askCompaction(hooks, { trigger, instructions: custom_instructions });
      return { context: instructions === undefined ? [] : [instructions] };
    },
  },
  PostCompact: compactedRow,
  SubagentStart: spawnedRow,
  SubagentStop: doneRow,
  Stop: stopRow,
};

/** Qwen Code's events: how the bridge reads a payload, asks the hooks and writes the answer. */
export const events = eventsOf(table, {
  timeoutMs: WAIT_MS,
  tells: ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop"],
  read,
  write: (event, said = {}) => inClaudeWords(event, said),
});

const SHOWN =
  "A hook rewrote the result of a failed call, and Qwen Code cannot change one: the model sees it as it was. `hookline bridge report qwen` names the hook.";

function read(payload: unknown): HostCall | undefined {
  const fields = fieldsOf(payload);
  // After each round of tools, Qwen Code fires the event again with an empty prompt.
  if (fields["hook_event_name"] === "UserPromptSubmit" && fields["prompt"] === "") return undefined;
  return readClaude(fields);
}

/** Refuses a call whose arguments hooks have changed, since Qwen Code cannot run the changed call. */
function rewritten(payload: Fields, wanted: Fields | undefined, hooks: HostHooks): string | undefined {
  if (wanted === undefined) return undefined;
  const tool = textIn(payload, "tool_name");
  return refusedRewrite(hooks, { host: "Qwen Code", tool, args: objectIn(payload, "tool_input"), wanted });
}

/** Asks the hooks about a call's result. Context that was kept from before the call comes first. */
async function resultOf(
  payload: Fields,
  told: Pick<Parameters<typeof askResult>[1], "content" | "isError">,
  hooks: HostHooks,
): Promise<ResultVerdict> {
  const call = callOf(payload, hooks);
  const verdict = await askResult(hooks, { ...toldOf(call), ...told, ...durationIn(payload) });
  return { ...verdict, context: [...taken(hooks, waitingFor(call)), ...verdict.context] };
}

function waitingFor({ toolCallId }: HostToolCall): string {
  return `context of ${toolCallId}`;
}

/** Returns a tool's result as text blocks. Qwen Code sends a text, or a list of parts. */
function contentOf(response: Fields): readonly { readonly type: "text"; readonly text: string }[] {
  const { llmContent } = response;
  if (typeof llmContent === "string") return [{ type: "text", text: llmContent }];
  const parts = Array.isArray(llmContent) ? llmContent : [llmContent ?? ""];
  return parts.map((part: unknown) => {
    if (isFields(part) && typeof part["text"] === "string") return { type: "text", text: part["text"] };
    return { type: "text", text: typeof part === "string" ? part : JSON.stringify(part) };
  });
}

/** A call with Qwen Code's names, and the arguments that hooks want instead (`wanted`). */
interface Rewritten {
  readonly host: string;
  readonly tool: string;
  readonly args: Fields;
  readonly wanted: Fields;
}

/**
 * Returns the text that refuses a call whose arguments hooks have changed, for a host that cannot change a call. It
 * tells the model to call the tool again with the new arguments. Returns `undefined` for that second call.
 */
function refusedRewrite({ memory }: HostHooks, { host, tool, args, wanted }: Rewritten): string | undefined {
  const known = (memory.get(WANTED) as Set<string> | undefined) ?? new Set<string>();
  memory.set(WANTED, known);
  // Lets the repeated call pass: a hook that changes every call would otherwise have each of them refused.
  if (known.delete(JSON.stringify([tool, args]))) return undefined;
  known.add(JSON.stringify([tool, wanted]));
  return `A hook changed the arguments of this call, and ${host} cannot change a call, so it did not run. Call ${tool} again with exactly these arguments: ${JSON.stringify(wanted)}`;
}
