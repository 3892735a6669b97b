import type { HostNames } from "@hookline/bridge/kit";

/** Models, payload fields and tool arguments seen in this agent. Written by `npm run hosts -- --write`. */
export const names: HostNames = {
  held: {
    "18.2.3": "claude-sonnet-4-5 gemini-3-pro m1 gpt-5.4",
  },
  fields: {
    agent_end: "messages type willContinue",
    before_agent_start: "prompt systemPrompt type",
    before_provider_request: "payload type",
    context: "messages systemPrompt type",
    message_end: "message type",
    message_start: "message type",
    session_shutdown: "type",
    session_start: "type",
    session_stop: "last_assistant_message messages session_file session_id signal stop_hook_active turn_id type",
    tool_call: "input toolCallId toolName type",
    tool_result: "content details input isError toolCallId toolName type",
    turn_end: "message toolResults turnIndex type",
    turn_start: "timestamp turnIndex type",
  },
  args: {
    bash: "async command cwd env i pty timeout",
    edit: "edits i input path paths",
    eval: "code language reset timeout title",
    glob: "gitignore hidden i limit path",
    grep: "case gitignore i path pattern skip",
    hub: "application args await cursor cwd detached enter env follow for from grep head i ids keys limit lines message name op pattern peek persist pty ready replyTo restart signal status text timeout to",
    read: "i path",
    task: "context i tasks",
    todo: "i items list op phase reason task",
    web_search: "i limit max_tokens num_search_results query recency temperature",
    write: "content i path",
    yield: "data error type",
  },
};
