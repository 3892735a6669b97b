import type { LaneRow } from "@hookline/runtime/dialect";
import { edit } from "@hookline/runtime/engine";
import { agentRows } from "./agent-events.ts";
import type { ClaudeAnswer, Elicited } from "./answer.ts";
import { argsOf, inputOf, nameOf, type WrittenCall } from "./calls.ts";
import { concurrent } from "./cells.ts";
import { type ClaudeOutcome, event, joined, lastReply, putResponse, putStop, responseOf, ruled } from "./views.ts";

const STARTS = { startup: "startup", new: "clear", resume: "resume", fork: "fork" } as const;

/** The events of Claude Code that fire here, in the order of a session. Source: spec/claude.md 6, 7 and 8a. */
export const rows: readonly LaneRow[] = [
  concurrent({
    name: "SessionStart",
    of: "session.start",
    kind: "transform",
    reads: ["additionalContext", "title", "firstMessage", "halt"],
    when: ({ reason }) => reason !== "reload",
    view: {
      get: ({ reason }, scene) =>
        event("SessionStart", scene, { source: STARTS[reason as keyof typeof STARTS], model: scene.model }),
      put: ({ additionalContext, title, firstMessage, halt }) =>
        edit({ additionalContext: joined(additionalContext), title, firstMessage, halt }),
    },
  }),
  concurrent({
    name: "SessionStart",
    of: "compact.after",
    kind: "transform",
    reads: ["additionalContext", "halt"],
    when: ({ kind }) => kind !== "micro",
    view: {
      get: (_, scene) => event("SessionStart", scene, { source: "compact", model: scene.model }),
      put: ({ additionalContext, halt }) => edit({ additionalContext: joined(additionalContext), halt }),
    },
  }),
  concurrent({
    name: "InstructionsLoaded",
    of: "instructions.loaded",
    kind: "observe",
    reads: [],
    view: {
      get: ({ path, tier, reason, globs }, scene) =>
        event("InstructionsLoaded", scene, {
          file_path: path,
          memory_type: tier === "user" ? "User" : "Project",
          load_reason: LOADS[reason],
          globs,
        }),
      put: () => undefined,
    },
  }),
  concurrent({
    name: "UserPromptExpansion",
    of: "prompt.expand",
    kind: "gate",
    reads: ["block", "additionalContext", "halt"],
    view: {
      get: ({ kind, name, args, source, prompt }, scene) =>
        event("UserPromptExpansion", scene, {
          expansion_type: kind === "mcp" ? "mcp_prompt" : "slash_command",
          command_name: name,
          command_args: args,
          command_source: source,
          prompt,
        }),
      put: putPrompt,
    },
  }),
  concurrent({
    name: "UserPromptSubmit",
    of: "prompt.before",
    kind: "gate",
    reads: ["block", "additionalContext", "title", "halt"],
    view: {
      get: ({ text }, scene) => event("UserPromptSubmit", scene, { prompt: text }),
      put: ({ title, ...said }) => edit({ ...putPrompt(said), title }),
    },
  }),
  concurrent({
    name: "PreToolUse",
    of: "tool.before",
    kind: "guard",
    reads: ["ruling", "halt", "tool_input", "additionalContext"],
    feeds: { tool_input: "agreed" },
    view: {
      get: ({ tool, aliases, args, toolCallId }, scene) =>
        event("PreToolUse", scene, {
          tool_name: nameOf(tool),
          tool_aliases: aliases,
          tool_input: inputOf(tool, args, scene.cwd),
          tool_use_id: toolCallId,
          mcp_server: serverOf(tool),
        }),
      put: ({ ruling, halt, tool_input, additionalContext }, { tool, aliases, args }, { cwd }) =>
        edit({
          ...ruled(ruling),
          ...(halt !== undefined && ruling?.decision !== "deny" && ENDED),
          halt,
          args: ruling?.decision === "deny" ? undefined : changedArgs({ tool, aliases, args, input: tool_input, cwd }),
          remark: joined(additionalContext),
        }),
    },
  }),
  concurrent({
    name: "PermissionRequest",
    of: "approval.requested",
    kind: "gate",
    reads: ["ruling", "halt", "tool_input"],
    feeds: { tool_input: "agreed" },
    view: {
      get: ({ tool, aliases, args = {} }, scene) =>
        event("PermissionRequest", scene, {
          tool_name: nameOf(tool),
          tool_aliases: aliases,
          tool_input: inputOf(tool, args, scene.cwd),
        }),
      put: ({ ruling, halt, tool_input }, { tool, aliases, args = {} }, { cwd }) =>
        edit({
          ...(ruled(ruling) as { decision?: "allow" | "deny"; reason?: string }),
          halt,
          args: ruling?.decision === "deny" ? undefined : changedArgs({ tool, aliases, args, input: tool_input, cwd }),
        }),
    },
  }),
  concurrent({
    name: "PostToolUse",
    of: "tool.after",
    kind: "redactor",
    reads: ["block", "remark", "additionalContext", "tool_response", "halt"],
    when: ({ isError, blocked }) => !isError && !blocked,
    feeds: { tool_response: "agreed" },
    view: {
      get: ({ tool, aliases, args, content, toolCallId, durationMs }, scene) => {
        const name = nameOf(tool);
        const input = inputOf(tool, args, scene.cwd);
        return event("PostToolUse", scene, {
          tool_name: name,
          tool_aliases: aliases,
          tool_input: input,
          tool_response: responseOf(name, input, content),
          tool_use_id: toolCallId,
          duration_ms: durationMs,
        });
      },
      put: ({ block, remark, additionalContext, tool_response, halt }, { tool, content }) =>
        edit({
          remark: joined(block, remark, additionalContext),
          content: tool_response === undefined ? undefined : putResponse(nameOf(tool), tool_response, content),
          halt,
        }),
    },
  }),
  concurrent({
    name: "PostToolUseFailure",
    of: "tool.after",
    kind: "redactor",
    reads: ["remark", "additionalContext", "halt"],
    when: ({ isError, blocked }) => isError && !blocked,
    view: {
      get: ({ tool, aliases, args, content, toolCallId, durationMs }, scene) =>
        event("PostToolUseFailure", scene, {
          tool_name: nameOf(tool),
          tool_aliases: aliases,
          tool_input: inputOf(tool, args, scene.cwd),
          tool_use_id: toolCallId,
          error: String(responseOf("", {}, content)),
          is_interrupt: false,
          duration_ms: durationMs,
        }),
      put: ({ remark, additionalContext, halt }) => edit({ remark: joined(remark, additionalContext), halt }),
    },
  }),
  concurrent({
    name: "PostToolBatch",
    of: "turn.end",
    agents: "all",
    kind: "control",
    reads: ["block", "additionalContext", "halt"],
    when: ({ toolResults }) => toolResults.length > 0,
    view: {
      get: ({ message, toolResults }, scene) => {
        const calls = message.role === "assistant" ? message.content : [];
        return event("PostToolBatch", scene, {
          tool_calls: toolResults.map(({ toolCallId, toolName, content }) => {
            const call = calls.find((block) => block.type === "toolCall" && block.id === toolCallId);
            return {
              tool_name: nameOf(toolName),
              tool_input: call?.type === "toolCall" ? inputOf(toolName, call.arguments, scene.cwd) : {},
              tool_use_id: toolCallId,
              tool_response: String(responseOf("", {}, content)),
            };
          }),
        });
      },
      put: ({ block, additionalContext, halt }, { entries = [] }) => {
        const text = joined(block, additionalContext);
        const added = { type: "custom_message", customType: "claude", content: text, display: false };
        return edit({
          entries: text === undefined ? undefined : [...entries, added],
          halt: halt ?? (block === undefined ? undefined : { reason: joined(block) ?? "" }),
        });
      },
    },
  }),
  concurrent({
    name: "Stop",
    of: "agent.stop",
    kind: "control",
    reads: ["block", "additionalContext", "halt"],
    view: {
      get: ({ reply, stopHookActive }, scene) =>
        event("Stop", scene, {
          stop_hook_active: stopHookActive,
          last_assistant_message: reply,
          background_tasks: [],
          session_crons: [],
        }),
      put: putStop,
    },
  }),
  ...agentRows,
  concurrent({
    name: "StopFailure",
    of: "agent.end",
    kind: "observe",
    reads: [],
    when: ({ error }) => error !== undefined,
    view: {
      get: ({ error, messages }, scene) =>
        event("StopFailure", scene, {
          error: error?.kind,
          error_details: error?.message,
          last_assistant_message: lastReply(messages),
        }),
      put: () => undefined,
    },
  }),
  concurrent({
    name: "PreCompact",
    of: "compact.before",
    kind: "gate",
    reads: ["block"],
    when: ({ kind }) => kind !== "micro",
    view: {
      get: ({ trigger, customInstructions }, scene) =>
        event("PreCompact", scene, { trigger: causeOf(trigger), custom_instructions: customInstructions ?? "" }),
      put: ({ block }) => (block === undefined ? undefined : { cancel: true }),
    },
  }),
  concurrent({
    name: "PostCompact",
    of: "compact.after",
    kind: "observe",
    reads: [],
    when: ({ kind }) => kind !== "micro",
    view: {
      get: ({ trigger, summary }, scene) =>
        event("PostCompact", scene, { trigger: causeOf(trigger), compact_summary: summary }),
      put: () => undefined,
    },
  }),
  concurrent({
    name: "PreModelSwitch",
    of: "model.before-select",
    kind: "gate",
    reads: ["ruling"],
    view: {
      get: (payload, scene) => event("PreModelSwitch", scene, switchOf(payload)),
      put: ({ ruling }) => edit(ruled(ruling)),
    },
  }),
  concurrent({
    name: "PostModelSwitch",
    of: "model.select",
    kind: "transform",
    reads: ["additionalContext"],
    view: {
      get: (payload, scene) => event("PostModelSwitch", scene, switchOf(payload)),
      put: ({ additionalContext }) => edit({ additionalContext: joined(additionalContext) }),
    },
  }),
  concurrent({
    name: "Notification",
    of: "notify",
    kind: "observe",
    reads: [],
    view: {
      get: ({ type, message, title }, scene) =>
        event("Notification", scene, { message, title, notification_type: type }),
      put: () => undefined,
    },
  }),
  concurrent({
    name: "ConfigChange",
    of: "config.change",
    kind: "gate",
    reads: ["block"],
    view: {
      get: ({ source, path }, scene) => event("ConfigChange", scene, { source, file_path: path }),
      put: ({ block }) => (block === undefined ? undefined : { cancel: true as const, reason: joined(block) ?? "" }),
    },
  }),
  concurrent({
    name: "Elicitation",
    of: "mcp.elicit",
    kind: "gate",
    reads: ["block", "elicited"],
    view: {
      get: ({ server, message, mode, schema }, scene) =>
        event("Elicitation", scene, { mcp_server_name: server, message, mode, requested_schema: schema }),
      put: putElicited,
    },
  }),
  concurrent({
    name: "ElicitationResult",
    of: "mcp.elicited",
    kind: "transform",
    reads: ["block", "elicited"],
    view: {
      get: ({ server, mode, action, content }, scene) =>
        event("ElicitationResult", scene, { mcp_server_name: server, mode, action, content }),
      put: putElicited,
    },
  }),
  concurrent({
    name: "SessionEnd",
    of: "session.end",
    kind: "shutdown",
    reads: [],
    when: ({ reason }) => Object.hasOwn(ENDS, reason),
    view: {
      get: ({ reason }, scene) => event("SessionEnd", scene, { reason: ENDS[reason as keyof typeof ENDS] }),
      put: () => undefined,
    },
  }),
];

const ENDS = { quit: "prompt_input_exit", new: "clear", resume: "resume" } as const;
const LOADS = { session_start: "session_start", nested: "nested_traversal", rule: "path_glob_match" } as const;

/** Denies a call if a hook that was asked about it ended the run. */
const ENDED = { decision: "deny", reason: "A hook ended the run before this call." } as const;

function putPrompt({ block, additionalContext, halt }: Omit<ClaudeOutcome, "title">):
  | {
      readonly stop?: true;
      readonly reason?: string;
      readonly additionalContext?: string;
      readonly halt?: { readonly reason: string };
    }
  | undefined {
  if (block !== undefined) return { stop: true, reason: joined(block) ?? "", ...(halt !== undefined && { halt }) };
  return edit({ additionalContext: joined(additionalContext), halt });
}

/** A hook that blocks declines the MCP server's question; otherwise the first answer counts. */
function putElicited({ block, elicited }: ClaudeOutcome): Partial<Elicited> | undefined {
  return block !== undefined ? { action: "decline" } : elicited;
}

interface Written extends Omit<WrittenCall, "input"> {
  readonly input: ClaudeAnswer["tool_input"] | undefined;
}

/** Translates the input that hooks wrote to the tool's arguments; `undefined` if the call is unchanged. */
function changedArgs({ input, ...call }: Written): Readonly<Record<string, unknown>> | undefined {
  if (input === undefined) return undefined;
  const put = argsOf({ ...call, input });
  return put === call.args ? undefined : put;
}

/** Returns the server's name in `mcp__server__tool`. */
function serverOf(tool: string): string | undefined {
  return /^mcp__(.+?)__/.exec(tool)?.[1];
}

function causeOf(trigger: string): string {
  return trigger === "manual" ? "manual" : "auto";
}

function switchOf({
  model,
  previousModel,
  source,
  ...rest
}: {
  readonly model: { readonly id: string };
  readonly previousModel?: { readonly id: string } | undefined;
  readonly source: string;
  readonly contextTokens?: number | undefined;
}): Readonly<Record<string, unknown>> {
  return {
    from_model: previousModel?.id,
    to_model: model.id,
    requested_model: model.id,
    source,
    context_tokens: rest.contextTokens,
  };
}
