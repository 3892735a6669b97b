/**
 * The first lines of every extension of a case: `note` writes down what the extension wants compared.
 * It is source text, because extensions are files.
 */
export const NOTE = `
import { appendFileSync as hookline$append } from "node:fs";
const note = (...values) => hookline$append(process.env.NOTES, JSON.stringify(values) + "\\n");
`;

/** Every event that the real pi may fire and whose listeners cannot change anything by listening. */
const NAMES = [
  ["session_start", "resources_discover", "session_info_changed", "session_shutdown"],
  ["session_before_switch", "session_switch", "session_before_fork", "session_fork"],
  ["session_before_compact", "session_compact", "session_compact_failed", "session_before_tree", "session_tree"],
  ["input", "before_agent_start", "agent_start", "agent_end", "agent_before_settle", "agent_settled"],
  ["turn_start", "turn_end", "message_start", "message_update", "message_end"],
  ["context", "context_with_system", "before_provider_request", "before_provider_headers", "after_provider_response"],
  ["tool_execution_start", "tool_execution_update", "tool_execution_end", "tool_call", "tool_result"],
  ["user_bash", "model_select", "thinking_level_select", "ui_prompt_start", "ui_prompt_end"],
].flat();

/** An extension that writes down every event with what its context says. */
export const RECORDER = `
import { appendFileSync } from "node:fs";
export default function (pi) {
  for (const name of ${JSON.stringify(NAMES)}) {
    pi.on(name, (event, ctx) => {
      const branch = ctx.sessionManager.getBranch().map((entry) => entry.message?.role ?? entry.customType ?? entry.type);
      const line = { event, idle: ctx.isIdle(), hasUI: ctx.hasUI, mode: ctx.mode, branch };
      appendFileSync(process.env.RECORD, JSON.stringify(line) + "\\n");
    });
  }
}
`;
