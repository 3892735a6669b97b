/** Every event of omp's ExtensionAPI whose listeners change nothing by listening. */
const NAMES = [
  ["session_start", "session_shutdown", "session_before_switch", "session_switch"],
  ["session_before_branch", "session_branch", "session_before_tree", "session_tree"],
  ["session_before_compact", "session.compacting", "session_compact", "auto_compaction_start", "auto_compaction_end"],
  ["input", "before_agent_start", "agent_start", "agent_end", "session_stop", "turn_start", "turn_end"],
  ["message_start", "message_update", "message_end"],
  ["context", "before_provider_request", "after_provider_response"],
  ["tool_execution_start", "tool_execution_update", "tool_execution_end", "tool_call", "tool_result"],
  ["auto_retry_start", "auto_retry_end", "ttsr_triggered", "todo_reminder", "user_bash", "user_python"],
  ["resources_discover", "tool_approval_requested", "tool_approval_resolved"],
].flat();

/**
 * An extension that writes down every event with what its context says of the moment: tools, whether there is a
 * system prompt, use of the context, model, level of thinking and queue.
 */
export const RECORDER = `
import { appendFileSync } from "node:fs";
export default function (pi) {
  for (const name of ${JSON.stringify(NAMES)}) {
    pi.on(name, (event, ctx) => {
      const { id, name, provider, api, reasoning, input, contextWindow, maxTokens } = ctx.model ?? {};
      const usage = ctx.getContextUsage();
      const state = {
        tools: pi.getActiveTools(),
        prompt: ctx.getSystemPrompt().join("").length > 200,
        usage: usage && [usage.contextWindow, usage.tokens === null ? null : usage.tokens > 0],
        model: { id, name, provider, api, reasoning, input, contextWindow, maxTokens },
        level: pi.getThinkingLevel(),
        pending: ctx.hasPendingMessages(),
        idle: ctx.isIdle(),
        hasUI: ctx.hasUI,
      };
      appendFileSync(process.env.RECORD, JSON.stringify({ event, ...state }) + "\\n");
    });
  }
}
`;
