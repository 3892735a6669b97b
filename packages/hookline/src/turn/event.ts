import type { Message } from "@hookline/runtime";
import type { AssistantMessage, Notice, ToolResultMessage, Usage } from "@hookline/runtime/engine";
import type { CompactionEvent } from "../compact/port.ts";
import type { Model, StreamEvent } from "../provider/provider.ts";
import type { SessionEntry } from "../session/entry.ts";
import type { ToolResult } from "../tool/tool.ts";

/** A sub-agent, for display. */
export interface SubAgent {
  readonly id: string;
  /** The name of the sub-agent's definition. */
  readonly type: string;
  /** The task in a few words. */
  readonly description: string;
  /** 1 for a sub-agent of the main agent, 2 for its sub-agents, and so on. */
  readonly depth: number;
  /** The id of the tool call in the parent's conversation that started the sub-agent. */
  readonly toolCallId: string;
  readonly parentId?: string;
  readonly model: string;
  /** The file of the sub-agent's conversation. */
  readonly path?: string;
}

/**
 * The events of an agent for listeners such as screens and the JSON mode. Names and fields are pi's where pi has them
 * (spec/pi.md 2.5), so that pi's clients can read them.
 */
export type AgentEvent =
  | { readonly type: "agent_start" }
  | { readonly type: "agent_end"; readonly messages: readonly Message[]; readonly willRetry: boolean }
  | { readonly type: "agent_settled"; readonly aborted: boolean }
  | { readonly type: "turn_start" }
  | {
      readonly type: "turn_end";
      readonly message: AssistantMessage;
      readonly toolResults: readonly ToolResultMessage[];
    }
  | {
      readonly type: "message_start";
      readonly message: Message;
      /** The hooks, by file and line, that wrote a message with the user's role. */
      readonly hooks?: readonly string[];
    }
  | { readonly type: "message_update"; readonly message: AssistantMessage; readonly assistantMessageEvent: StreamEvent }
  | { readonly type: "message_end"; readonly message: Message }
  /**
   * A hook has replaced the text of the reply that has just ended, or withdrawn the reply. `text` is what remains and
   * must be shown instead; empty if nothing does. `id` is the entry that contains it, or `null` if there is none.
   */
  | { readonly type: "reply.withdrawn"; readonly id: string | null; readonly text: string }
  | {
      readonly type: "tool_execution_start";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly args: unknown;
    }
  | {
      readonly type: "tool_execution_update";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly args: unknown;
      readonly partialResult: ToolResult;
    }
  | {
      readonly type: "tool_execution_end";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly result: ToolResult;
      readonly isError: boolean;
      /** How long the tool ran; absent if it did not. */
      readonly durationMs?: number;
    }
  | {
      readonly type: "auto_retry_start";
      readonly attempt: number;
      readonly maxAttempts: number;
      readonly delayMs: number;
      readonly errorMessage: string;
    }
  | {
      readonly type: "auto_retry_end";
      readonly success: boolean;
      readonly attempt: number;
      readonly finalError?: string;
    }
  | CompactionEvent
  | { readonly type: "queue_update"; readonly steering: readonly string[]; readonly followUp: readonly string[] }
  /** A tool call has started a sub-agent. */
  | { readonly type: "subagent_start"; readonly agent: SubAgent }
  /** An event of a sub-agent. Its own sub-agents have events with their own ids. */
  | { readonly type: "subagent_event"; readonly agentId: string; readonly event: AgentEvent }
  | {
      readonly type: "subagent_end";
      readonly agentId: string;
      readonly outcome: PromptResult["kind"];
      /** The usage of the sub-agent, including its own sub-agents. */
      readonly usage: Usage;
    }
  | { readonly type: "session_info_changed"; readonly name: string | undefined }
  | { readonly type: "model_changed"; readonly model: Model }
  | { readonly type: "thinking_level_changed"; readonly level: string }
  | { readonly type: "bash_execution_update"; readonly id?: string | number; readonly delta: string }
  /** Another session has replaced the current one. */
  | { readonly type: "session_changed"; readonly reason: "new" | "resume" | "fork"; readonly sessionId: string }
  /** A session entry other than a message was stored: by a hook, or to leave a failed reply out of the context. */
  | { readonly type: "entry_appended"; readonly entry: SessionEntry }
  /** The session has moved to another point of its tree. */
  | { readonly type: "tree_changed"; readonly leafId: string | null }
  /** The output of a built-in command or of a command that the person ran. */
  | { readonly type: "command_output"; readonly command: string; readonly text: string }
  /** A line for the person, from a hook or from the agent itself. */
  | {
      readonly type: "notice";
      readonly level: "info" | "warning" | "error";
      readonly text: string;
      readonly hook?: Notice["hook"];
    };

/** The outcome of one prompt. */
export type PromptResult =
  | { readonly kind: "answered"; readonly message: AssistantMessage; readonly text: string }
  /** A hook or command handled the prompt; no model was asked. */
  | { readonly kind: "handled" }
  | { readonly kind: "command" }
  /** The prompt waits in a queue, because another prompt runs. */
  | { readonly kind: "queued" }
  /** A hook stopped the prompt, so there is no reply. With `halt`, the hook ended the run. */
  | { readonly kind: "stopped"; readonly reason: string; readonly halt?: true }
  | { readonly kind: "failed"; readonly error: string }
  | { readonly kind: "aborted" };
