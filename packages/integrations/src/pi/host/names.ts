import type { HostNames } from "@hookline/bridge/kit";

/** What it was seen to use. Written by `npm run hosts -- --write`. */
export const names: HostNames = {
  held: {},
  fields: {
    after_provider_response: "headers status type",
    agent_before_settle: "context continue entries outcome type",
    agent_end: "messages type",
    agent_settled: "type",
    before_agent_start: "prompt systemPrompt systemPromptOptions type",
    before_provider_headers: "headers type",
    before_provider_request: "payload type",
    context: "messages type",
    input: "source text type",
    message_end: "message type",
    message_start: "message type",
    session_shutdown: "reason type",
    session_start: "reason type",
    tool_call: "input toolCallId toolName type",
    tool_result: "content input isError toolCallId toolName type",
    turn_end: "context continue entries message messageEntryId outcome toolResultEntryIds toolResults turnIndex type",
    turn_start: "timestamp turnIndex type",
  },
  args: {
    bash: "command",
    write: "content path",
  },
};
