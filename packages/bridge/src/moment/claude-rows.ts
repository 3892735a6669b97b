import type { Fields } from "@hookline/ground";
import type { AgentTools } from "@hookline/runtime/engine";
import type { HostCall, HostHooks } from "../host/host.ts";
import { fieldsOf, maybeText, textIn } from "../host/payload.ts";
import type { ClaudeWords } from "./claude-words.ts";
import { tellCompacted } from "./compaction.ts";
import { askFixedPrompt, PROMPT_MOMENTS } from "./prompt.ts";
import type { HostRow, Prompt } from "./rows.ts";
import { askStart, startReason } from "./session.ts";
import { askEnd, END_MOMENTS, rememberPrompt, STOP_MOMENTS } from "./stop.ts";
import { askDone, askSpawned } from "./sub-agent.ts";
import { askApproval, callIn, type HostToolCall } from "./tool.ts";

/** Reads a payload in Claude Code's format. */
export function readClaude(payload: unknown): HostCall {
  const fields = fieldsOf(payload);
  const call = maybeText(fields, "tool_use_id");
  const model = maybeText(fields, "model");
  const sessionFile = maybeText(fields, "transcript_path");
  return {
    session: maybeText(fields, "session_id") ?? textIn(fields, "conversation_id"),
    ...(call !== undefined && { call }),
    scene: { ...(model !== undefined && { model }), ...(sessionFile !== undefined && { sessionFile }) },
    payload: fields,
  };
}

/** Reads the tool call of a payload in Claude Code's format. */
export function claudeCall(tools: AgentTools): (payload: Fields, hooks: HostHooks) => HostToolCall {
  return (payload, hooks) =>
    callIn(tools, hooks, {
      toolCallId: maybeText(payload, "tool_use_id"),
      name: textIn(payload, "tool_name"),
      args: payload["tool_input"],
    });
}

/**
 * Makes the row of a session's start. After a compaction the session only goes on: no hook is asked, and the model gets
 * the texts from `waiting`.
 */
export function claudeStartRow(waiting: (hooks: HostHooks) => readonly string[] = () => []): HostRow<ClaudeWords> {
  return {
    moments: ["session.start"],
    async say({ source }, hooks) {
      if (source === "compact") return { context: waiting(hooks), notices: hooks.notices() };
      const { context, halt } = await askStart(hooks, startReason(source));
      return { context, notices: hooks.notices(), ...(halt !== undefined && { stop: halt }) };
    },
  };
}

/**
 * Makes the row of a prompt, for an agent that cannot change prompts. `refuse` writes the agent's refusal. If a hook
 * rewrites a prompt, a message tells the person that `host` cannot change it.
 */
export function promptRow(
  refuse: (reason: string) => ClaudeWords,
  host: { readonly name: string; readonly label: string },
): HostRow<ClaudeWords> {
  const unchanged = `A hook rewrote your prompt, and ${host.label} cannot change one: the model was sent what you typed. \`hookline bridge report ${host.name}\` names the hook.`;
  return {
    moments: PROMPT_MOMENTS,
    refuse,
    prompt: typedPrompt,
    async say(payload, hooks) {
      const prompt = textIn(payload, "prompt");
      rememberPrompt(hooks, prompt);
      const { refused, ...said } = await askFixedPrompt(hooks, prompt, unchanged);
      return refused === undefined ? said : { ...said, ...refuse(refused) };
    },
  };
}

/**
 * Returns the prompt in a payload. A payload with `agent_id` is a sub-agent's, whose prompt was written by the model.
 */
export function typedPrompt(payload: Fields): Prompt {
  return { text: textIn(payload, "prompt"), ...(payload["agent_id"] !== undefined && { from: "model" }) };
}

/** Makes the row of the event at which an agent would ask its person for permission. */
export function permissionRow(callOf: ReturnType<typeof claudeCall>): HostRow<ClaudeWords> {
  return {
    moments: ["approval.requested"],
    async say(payload, hooks) {
      const forbid = await askApproval(hooks, callOf(payload, hooks));
      return forbid === undefined ? undefined : { forbid };
    },
  };
}

/** The row of the event at which an agent would stop. */
export const stopRow: HostRow<ClaudeWords> = {
  moments: [...STOP_MOMENTS, ...END_MOMENTS],
  say: (payload, hooks) =>
    askEnd(hooks, {
      reply: maybeText(payload, "last_assistant_message") ?? "",
      stopHookActive: payload["stop_hook_active"] === true,
    }),
};

/** The row of the event after a compaction; the agent ignores its answer. */
export const compactedRow: HostRow<ClaudeWords> = {
  moments: ["compact.after"],
  async say({ trigger, compact_summary: summary }, hooks) {
    await tellCompacted(hooks, { trigger, summary });
    return undefined;
  },
};

/** The row of the event at which a sub-agent starts; the agent does not report the sub-agent's model. */
export const spawnedRow: HostRow<ClaudeWords> = {
  moments: ["agent.spawned"],
  say: async (_, hooks) => ({ context: await askSpawned(hooks, "") }),
};

/** The row of the event at which a sub-agent would stop. */
export const doneRow: HostRow<ClaudeWords> = {
  moments: ["agent.done"],
  async say(payload, hooks) {
    const block = await askDone(hooks, payload);
    return block === undefined ? undefined : { block };
  },
};

/** Returns how long a tool ran, if the agent reports it. */
export function durationIn({ duration_ms: durationMs }: Fields): { readonly durationMs?: number } {
  return typeof durationMs === "number" ? { durationMs } : {};
}
