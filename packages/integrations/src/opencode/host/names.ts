import type { HostNames } from "@hookline/bridge/kit";

/** What it was seen to use. Written by `npm run hosts -- --write`. */
export const names: HostNames = {
  held: {},
  fields: {
    "chat.headers": "input input.agent input.message input.model input.provider input.sessionID output output.headers",
    "chat.message": "input input.sessionID output output.message output.parts",
    "experimental.chat.messages.transform": "input output output.messages",
    "experimental.chat.system.transform": "input input.model input.sessionID output output.system",
    "experimental.text.complete": "input input.messageID input.partID input.sessionID output output.text",
    "session.created": "properties type",
    "session.idle": "properties type",
    "tool.execute.after":
      "input input.args input.callID input.sessionID input.tool output output.metadata output.output output.title",
    "tool.execute.before": "input input.callID input.sessionID input.tool output output.args",
  },
  args: {
    apply_patch: "patchText",
    bash: "command description",
    task: "description prompt subagent_type",
    write: "content filePath",
  },
};
