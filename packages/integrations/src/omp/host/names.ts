import type { HostNames } from "@hookline/bridge/kit";

/** What it was seen to use. Written by `npm run hosts -- --write`. */
export const names: HostNames = {
  held: {},
  fields: {
    agent_end: "messages type",
    before_agent_start: "prompt systemPrompt type",
    before_provider_request: "payload type",
    context: "messages type",
    message_end: "message type",
    message_start: "message type",
    session_shutdown: "type",
    session_start: "type",
    session_stop: "last_assistant_message messages session_file signal stop_hook_active turn_id type",
    tool_call: "input toolCallId toolName type",
    tool_result: "content details input isError toolCallId toolName type",
    turn_end: "message toolResults turnIndex type",
    turn_start: "timestamp turnIndex type",
  },
  args: {
    bash: "command",
    edit: "edits input path paths",
  },
};
