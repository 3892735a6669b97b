import type { HostNames } from "@hookline/bridge/kit";

/** Models, payload fields and tool arguments seen in this agent. Written by `npm run hosts -- --write`. */
export const names: HostNames = {
  held: {
    "0.87.1": "claude-sonnet-4-5 gemini-3-pro gpt-5.4 m1",
    "1.6.0": "claude-sonnet-4-5 gemini-3-pro gpt-5.4 m1",
  },
  fields: {
    after_provider_response: "headers status type",
    agent_before_settle: "context continue entries outcome type",
    agent_end: "messages type",
    agent_settled: "aborted type",
    before_agent_start: "messageType prompt systemPrompt systemPromptOptions type",
    before_provider_headers: "headers type",
    before_provider_request: "payload type",
    context: "messages systemPrompt type",
    input: "source text type",
    message_end: "message type",
    message_start: "message type",
    session_shutdown: "reason type",
    session_start: "reason type",
    tool_call: "input parentToolCallId toolCallId toolName type",
    tool_result: "content details input isError parentToolCallId structuredContent toolCallId toolName type",
    turn_end: "context continue entries message messageEntryId outcome toolResultEntryIds toolResults turnIndex type",
    turn_start: "timestamp turnIndex type",
  },
  args: {
    bash: "command timeout",
    codemode: "code",
    edit: "edits path",
    read: "limit offset path",
    write: "content path",
  },
};
