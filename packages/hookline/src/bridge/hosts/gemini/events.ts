import { textOf } from "@hookline/runtime";
import type { HostCall, HostHooks } from "../../host.ts";
import { idOf, keepId } from "../../moment/call-id.ts";
import { askPrompt, PROMPT_MOMENTS } from "../../moment/prompt.ts";
import { eventsOf, type HostRow } from "../../moment/rows.ts";
import { endRow, startRow } from "../../moment/session.ts";
import { askStop, END_MOMENTS, STOP_MOMENTS, tellEnd } from "../../moment/stop.ts";
import { askCall, askResult, CALL_MOMENTS, RESULT_MOMENTS, type ToolCall } from "../../moment/tool.ts";
import { ourCall, theirArgs } from "../../moment/tool-names.ts";
import { type Fields, fieldsOf, judged, maybeText, objectIn, textIn } from "../../payload.ts";
import { afterModel, beforeModel, beforeToolSelection, isTakenAway, keepPrompt } from "./model.ts";
import { TOOLS } from "./tools.ts";
import { inWords, type Words } from "./words.ts";

/** How long Gemini CLI waits for a hook, as the adapter sets it, in ms. */
const WAIT_MS = 60_000;

/**
 * Gemini CLI's events. `PreCompress` fires before every turn, compaction or not, so it is no moment of a compaction.
 * Source: spec/hosts/gemini.
 */
const table: Readonly<Record<string, HostRow<Words>>> = {
  SessionStart: startRow,
  SessionEnd: endRow(5_000),
  BeforeAgent: {
    moments: PROMPT_MOMENTS,
    refuse: (deny) => ({ deny }),
    async say(payload, hooks) {
      const prompt = textIn(payload, "prompt");
      const { refused, text, context } = await askPrompt(hooks, prompt);
      if (refused !== undefined) return { deny: refused, notices: hooks.notices() };
      // Gemini CLI keeps the prompt as it is: each request to the model gets the new one.
      if (text !== undefined) keepPrompt(hooks, { from: prompt, to: text });
      return { context, notices: hooks.notices() };
    },
  },
  BeforeModel: beforeModel,
  BeforeToolSelection: beforeToolSelection,
  AfterModel: afterModel,
  BeforeTool: {
    moments: CALL_MOMENTS,
    refuse: (deny) => ({ deny }),
    async say(payload, hooks) {
      const call = callOf(judged(payload, "tool_input"), hooks);
      if (isTakenAway(hooks, call.tool)) return { deny: "A hook has removed this tool." };
      const { refused, args, context } = await askCall(hooks, call, "nobody can be asked through Gemini CLI");
      // Gemini CLI takes no context before a call: it waits for the result.
      hooks.memory.set(`${CONTEXT} of ${call.toolCallId}`, context);
      if (refused !== undefined) return { deny: [refused, ...context].join("\n\n") };
      if (args === undefined) return undefined;
      const name = textIn(payload, "tool_name");
      const input = theirArgs(TOOLS, name, args);
      // Gemini CLI merges them into the original arguments, and reports the merged ones with the result.
      keepId(hooks, call.toolCallId, name, { ...objectIn(payload, "tool_input"), ...input });
      return { input };
    },
  },
  AfterTool: {
    moments: RESULT_MOMENTS,
    async say(payload, hooks) {
      const call = callOf(payload, hooks);
      const response = objectIn(payload, "tool_response");
      const text = maybeText(response, "llmContent") ?? JSON.stringify(response["llmContent"] ?? "");
      const result = { ...call, content: [{ type: "text" as const, text }], isError: response["error"] !== undefined };
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
      const reply = {
        prompt: maybeText(payload, "prompt") ?? "",
        reply: maybeText(payload, "prompt_response") ?? "",
        stopHookActive: payload["stop_hook_active"] === true,
      };
      const deny = await askStop(hooks, reply);
      if (deny === undefined) await tellEnd(hooks, reply);
      return { notices: hooks.notices(), ...(deny !== undefined && { deny }) };
    },
  },
};

/** The same as the bridge takes it. */
export const events = eventsOf(table, { timeoutMs: WAIT_MS, read, write: (event, said = {}) => inWords(event, said) });

const CONTEXT = "context";

function read(payload: unknown): HostCall {
  const fields = fieldsOf(payload);
  const sessionFile = maybeText(fields, "transcript_path");
  return {
    session: textIn(fields, "session_id"),
    scene: sessionFile === undefined ? {} : { sessionFile },
    payload: fields,
  };
}

function callOf(payload: Fields, hooks: HostHooks): ToolCall {
  const [name, args] = [textIn(payload, "tool_name"), objectIn(payload, "tool_input")];
  return { toolCallId: idOf(hooks, name, args), ...ourCall(TOOLS, name, args) };
}
