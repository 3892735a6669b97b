import type { Message } from "@hookline/runtime";
import type { AssistantMessage, Notice, ToolResultMessage } from "@hookline/runtime/internal";
import type { CompactionEvent } from "../compact/port.ts";
import type { Model, StreamEvent } from "../provider/provider.ts";
import type { SessionEntry } from "../session/entry.ts";
import type { ToolResult } from "../tool/tool.ts";

/**
 * What the agent tells those who show it: screens, the JSON mode, tests. Names and fields are pi's where pi has them
 * (spec/pi.md 2.5), so that its clients can read them.
 */
export type AgentEvent =
  | { readonly type: "agent_start" }
  | { readonly type: "agent_end"; readonly messages: readonly Message[]; readonly willRetry: boolean }
  | { readonly type: "agent_settled" }
  | { readonly type: "turn_start" }
  | {
      readonly type: "turn_end";
      readonly message: AssistantMessage;
      readonly toolResults: readonly ToolResultMessage[];
    }
  | { readonly type: "message_start"; readonly message: Message }
  | { readonly type: "message_update"; readonly message: AssistantMessage; readonly assistantMessageEvent: StreamEvent }
  | { readonly type: "message_end"; readonly message: Message }
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
  | { readonly type: "session_info_changed"; readonly name: string | undefined }
  | { readonly type: "model_changed"; readonly model: Model }
  | { readonly type: "thinking_level_changed"; readonly level: string }
  | { readonly type: "bash_execution_update"; readonly id?: string | number; readonly delta: string }
  /** Another session has taken the last one's place. */
  | { readonly type: "session_changed"; readonly reason: "new" | "resume" | "fork"; readonly sessionId: string }
  /** Something that is no message has been stored: by a hook, or to leave a failed reply out of the context. */
  | { readonly type: "entry_appended"; readonly entry: SessionEntry }
  /** The session has moved to another point of its tree. */
  | { readonly type: "tree_changed"; readonly leafId: string | null }
  /** What a built-in command or a command of the person's own has to show. */
  | { readonly type: "command_output"; readonly command: string; readonly text: string }
  /** A line for the person, from a hook or from the agent itself. */
  | {
      readonly type: "notice";
      readonly level: "info" | "warning" | "error";
      readonly text: string;
      readonly hook?: Notice["hook"];
    };

/** What one prompt came to. */
export type PromptResult =
  | { readonly kind: "answered"; readonly message: AssistantMessage; readonly text: string }
  /** A hook or command took it; no model was asked. */
  | { readonly kind: "handled" }
  | { readonly kind: "command" }
  /** It waits for the running prompt. */
  | { readonly kind: "queued" }
  /** A hook stopped it and there is no reply; with `halt` by ending the run. */
  | { readonly kind: "stopped"; readonly reason: string; readonly halt?: true }
  | { readonly kind: "failed"; readonly error: string }
  | { readonly kind: "aborted" };
