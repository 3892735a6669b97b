import type { HostCall, HostHooks } from "@hookline/bridge/kit";
import {
  askCall,
  askPrompt,
  askResult,
  askStop,
  callIn,
  callMoments,
  END_MOMENTS,
  endRow,
  eventsOf,
  fieldsOf,
  type HostRow,
  type HostToolCall,
  idOf,
  keepId,
  maybeText,
  objectIn,
  PROMPT_MOMENTS,
  RESULT_MOMENTS,
  STOP_MOMENTS,
  startRow,
  tellEnd,
  textIn,
  toldOf,
} from "@hookline/bridge/kit";
import type { Fields } from "@hookline/ground";
import { textOf } from "@hookline/runtime";
import { geminiTools } from "../tools.ts";
import { afterModel, beforeModel, beforeToolSelection, isTakenAway, keepPrompt, replyOf } from "./model.ts";
import { inWords, type Words } from "./words.ts";

/** Gemini CLI's time limit for a hook, as the adapter sets it in the settings, in ms. */
const WAIT_MS = 60_000;

/**
 * Gemini CLI's events. `PreCompress` is left out: it fires before every turn, whether or not there is a compaction.
 *
 * Source: spec/hosts/gemini.
 */
const table: Readonly<Record<string, HostRow<Words>>> = {
  SessionStart: startRow,
  SessionEnd: endRow(5_000),
  BeforeAgent: {
    moments: PROMPT_MOMENTS,
    refuse: (deny) => ({ deny }),
    // When hooks make the agent continue, Gemini CLI fires `BeforeAgent` again, with their joined texts as the prompt.
    prompt: (payload) => ({ text: textIn(payload, "prompt"), isJoined: true }),
    async say(payload, hooks) {
      hooks.memory.delete(ROUNDS);
      const prompt = textIn(payload, "prompt");
      const { refused, text, context } = await askPrompt(hooks, prompt);
      if (refused !== undefined) return { deny: refused, notices: hooks.notices() };
      // Gemini CLI cannot change the prompt itself, so it is replaced in each request to the model.
      if (text !== undefined) keepPrompt(hooks, { from: prompt, to: text });
      return { context, notices: hooks.notices() };
    },
  },
  BeforeModel: beforeModel,
  BeforeToolSelection: beforeToolSelection,
  AfterModel: afterModel,
  BeforeTool: {
    moments: callMoments(geminiTools),
    refuse: (deny) => ({ deny }),
    async say(payload, hooks) {
      const call = callOf(payload, hooks);
      if (isTakenAway(hooks, call.reading)) return { deny: "A hook has removed this tool." };
      const asking = { nobody: "nobody can be asked through Gemini CLI" };
      const { refused, args: input, context } = await askCall(hooks, call, asking);
      // Gemini CLI accepts no context before a call, so the context is kept for the call's result.
      hooks.memory.set(`${CONTEXT} of ${call.toolCallId}`, context);
      if (refused !== undefined) return { deny: [refused, ...context].join("\n\n") };
      if (input === undefined) return undefined;
      // Gemini CLI's event for the result has the changed arguments, by which the call's id is found again.
      keepId(hooks, call.toolCallId, call.reading.name, { ...call.reading.args, ...input });
      return { input };
    },
  },
  AfterTool: {
    moments: RESULT_MOMENTS,
    async say(payload, hooks) {
      const call = callOf(payload, hooks);
      const response = objectIn(payload, "tool_response");
      const text = maybeText(response, "llmContent") ?? JSON.stringify(response["llmContent"] ?? "");
      const result = {
        ...toldOf(call),
        content: [{ type: "text" as const, text }],
        isError: response["error"] !== undefined,
      };
      const { content, context, halt } = await askResult(hooks, result);
      const waiting = (hooks.memory.get(`${CONTEXT} of ${call.toolCallId}`) as readonly string[] | undefined) ?? [];
      if (halt !== undefined) return { stop: halt };
      const deny = content === undefined ? undefined : textOf(content) || "(nothing is shown)";
      return { context: [...waiting, ...context], ...(deny !== undefined && { deny }) };
    },
  },
  AfterAgent: {
    moments: [...STOP_MOMENTS, ...END_MOMENTS],
    async say(payload, hooks) {
      // `false` is not reliable: after tool calls Gemini CLI also sends it for an agent that a hook has made continue.
      const stopHookActive = payload["stop_hook_active"] === true || undefined;
      const reply = { prompt: maybeText(payload, "prompt") ?? "", reply: lastReply(payload, hooks), stopHookActive };
      const deny = await askStop(hooks, reply);
      if (deny === undefined) await tellEnd(hooks, reply);
      return { notices: hooks.notices(), ...(deny !== undefined && { deny }) };
    },
  },
};

/** Gemini CLI's events: how the bridge reads a payload, asks the hooks and writes the answer. */
export const events = eventsOf(table, {
  timeoutMs: WAIT_MS,
  tells: ["SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent"],
  read,
  write: (event, said = {}) => inWords(event, said),
});

const CONTEXT = "context";
const ROUNDS = "replies so far";

/** Returns the last reply to a prompt. Gemini CLI sends all replies so far as one text. */
function lastReply(payload: Fields, hooks: HostHooks): string {
  const all = maybeText(payload, "prompt_response") ?? "";
  const before = (hooks.memory.get(ROUNDS) as string | undefined) ?? "";
  hooks.memory.set(ROUNDS, all);
  const last = replyOf(hooks).find((text) => text !== "" && all.endsWith(text));
  return last ?? (before !== "" && all.startsWith(`${before}\n`) ? all.slice(before.length + 1) : all);
}

function read(payload: unknown): HostCall {
  const fields = fieldsOf(payload);
  const sessionFile = maybeText(fields, "transcript_path");
  return {
    session: textIn(fields, "session_id"),
    scene: sessionFile === undefined ? {} : { sessionFile },
    payload: fields,
  };
}

function callOf(payload: Fields, hooks: HostHooks): HostToolCall {
  const name = textIn(payload, "tool_name");
  const about = objectIn(payload, "mcp_context");
  const [server, tool] = [maybeText(about, "server_name"), maybeText(about, "tool_name")];
  return callIn(geminiTools, hooks, {
    toolCallId: idOf(hooks, name, objectIn(payload, "tool_input")),
    name,
    args: payload["tool_input"],
    of: server === undefined || tool === undefined ? undefined : { server, tool },
  });
}
