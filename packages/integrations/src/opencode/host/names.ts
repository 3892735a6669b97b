import type { HostNames } from "@hookline/bridge/kit";

/** Models, payload fields and tool arguments seen in this agent. Written by `npm run hosts -- --write`. */
export const names: HostNames = {
  held: {
    "1.18.33": "gpt-5.4 m1 claude-sonnet-4-5 gemini-3-pro",
  },
  fields: {
    "chat.headers": "input input.agent input.message input.model input.provider input.sessionID output output.headers",
    "chat.message": "input input.agent input.messageID input.model input.sessionID output output.message output.parts",
    "experimental.chat.messages.transform": "input output output.messages",
    "experimental.chat.system.transform": "input input.model input.sessionID output output.system",
    "experimental.text.complete": "input input.messageID input.partID input.sessionID output output.text",
    "session.created": "properties type",
    "session.idle": "properties type",
    "tool.execute.after":
      "input input.args input.callID input.sessionID input.tool output output.content output.metadata output.output output.title",
    "tool.execute.before": "input input.callID input.sessionID input.tool output output.args",
  },
  args: {
    apply_patch: "patchText",
    bash: "command description timeout workdir",
    edit: "filePath newString oldString replaceAll",
    glob: "path pattern",
    grep: "include path pattern",
    read: "filePath limit offset",
    skill: "name",
    task: "command description prompt subagent_type task_id",
    todowrite: "todos",
    webfetch: "format timeout url",
    write: "content filePath",
  },
};
