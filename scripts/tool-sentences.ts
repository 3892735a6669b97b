import { BEFORE_NEXT, HALT, type Sentences } from "./event-sentences.ts";

/** The fields by which events identify a tool call. */
const CALL = {
  toolCallId: "The id of the call, the same in all of its events.",
  parentToolCallId: "The id of the call whose tool makes this one; absent for a call of the model.",
  tool: "The tool's name as hookline knows it, such as `bash` or `mcp__server__tool`.",
  aliases: "Other names of the tool, if the call comes from another agent through the [bridge](../../guide/bridge.md).",
};
const RAW_ARGS = "The arguments as the model wrote them; nothing has checked them yet.";
const LAST_ARGS = "The arguments with which the call ran, or would have run.";
const RAN_MS = "How long the tool ran, in ms; absent if it did not run.";
const CANCEL_REASON = "With `cancel`: why, for the model.";
const NEXT_REQUEST = "A text that is added to the system prompt of the next request.";
const KIND =
  "`full`: a summary replaces old messages; `rolling`: a model chooses which messages a summary replaces; `micro`: short notes replace old tool results, without a model.";
const TRIGGER =
  "`manual`: a person or a hook asked for it; `threshold`: the context came near the model's limit; `overflow`: the provider refused a request as too long.";
const RESENT = "Whether the request that was too long is sent again afterwards.";
const LETTER = {
  from: "The name of the context that sends the message.",
  to: "The name of the context that it is for.",
  content: "The text of the message.",
};
const QUESTION = {
  server: "The name of the MCP server that asks.",
  mode: "`form`: the server asks for values; `url`: it wants the person to open a web page.",
  message: "The server's question to the person.",
};
const FORM = "With `accept`: the values by the names of the form's fields.";
const PROMPT = {
  kind: "How it is asked: a choice, yes or no, a line of text, a longer text, or a screen of the hook's own.",
  title: "The question; absent for `custom`.",
};
const TASK = {
  id: "An id made of the item's text, so it stays the same when the item is completed.",
  subject: "The text of the item.",
};

/** Sentences about the events of tools, todo items, compactions, mail, MCP servers and questions to the person. */
export const TOOL_SENTENCES: Readonly<Record<string, Sentences>> = {
  "tool.before": {
    in: { ...CALL, args: "The arguments; they fit the tool's schema." },
    out: {
      decision:
        "`deny` refuses the call, `ask` asks the person, `allow` lets it run unless another hook refuses or asks.",
      reason: "With `deny`: the error that the model gets; with `ask`: a text for the person.",
      args: "Arguments to run the call with in place of the others. Guards that judged the others are asked again.",
      additionalContext: NEXT_REQUEST,
      rest: "With `deny`: `refuse` also refuses the calls of the same reply that have not started.",
      terminate: "With `deny`: true ends the run after the reply's calls, if each of them wants that.",
      remark: "A text for the model that is put after the call's result.",
      halt: "Refuses the call and ends the run. The person is shown its `reason`; the model is not.",
    },
  },
  "tool.start": { in: { ...CALL, args: RAW_ARGS } },
  "tool.update": {
    in: {
      ...CALL,
      args: "The arguments as the model wrote them, without the changes of hooks.",
      partial: "The result so far, as the tool reports it: usually an object with `content`.",
    },
  },
  "tool.after": {
    in: {
      ...CALL,
      args: LAST_ARGS,
      content: "The result for the model: blocks of text and pictures.",
      details: "Data of the tool for the screen and the session; the model does not see it.",
      isError: "Whether the call failed or was refused.",
      blocked: "Whether the call was refused, so that the tool did not run.",
      durationMs: RAN_MS,
    },
    out: {
      content: "A result in its place.",
      details: "Data in place of the tool's.",
      isError: "Whether the result counts as an error. A refused call stays one.",
      additionalContext: NEXT_REQUEST,
      remark: "A text for the model that is put after the result.",
      halt: HALT,
    },
  },
  "tool.cache-before": {
    in: {
      ...CALL,
      args: LAST_ARGS,
      content: "The output as one text.",
      charCount: "Its length in UTF-8 bytes, in spite of the name, which is chibi's.",
      lineCount: "Its number of lines.",
    },
    out: {
      summary: "A text that the model sees in place of the output's beginning.",
      keep: "False: the output is not cached, and the model sees all of it.",
    },
  },
  "tool.cached": {
    in: {
      ...CALL,
      cacheId: "The id by which the model can read parts of the output, with tools such as `file_grep`.",
      charCount: "The output's length in UTF-8 bytes, in spite of the name, which is chibi's.",
      tokenEstimate: "Its length in tokens, estimated at four bytes each.",
      lineCount: "Its number of lines.",
    },
  },
  "tool.output": {
    in: {
      ...CALL,
      args: LAST_ARGS,
      output: "The whole text of the result, as hooks have left it.",
      finalOutput: "The text that the model sees: for a cached output its beginning or a summary, otherwise all of it.",
      cached: "Whether the output was put into the cache.",
    },
  },
  "tool.end": {
    in: {
      ...CALL,
      args: "The arguments with which the call ran or would have run; if it could not run, those that the model wrote.",
      result: "The result as hooks have left it: an object with `content` and `details`.",
      isError: "Whether the call failed, was refused or could not run.",
      durationMs: RAN_MS,
    },
  },
  "tool.done": {
    in: {
      ...CALL,
      args: LAST_ARGS,
      result: "The whole text of the result, even if the model sees only a part of it.",
      cached: "Whether the output was put into the cache.",
    },
  },
  "task.created": {
    in: TASK,
    out: { cancel: "True: the item is left out of the list.", reason: CANCEL_REASON, halt: HALT },
  },
  "task.completed": {
    in: TASK,
    out: { cancel: "True: the item keeps the status that it had.", reason: CANCEL_REASON, halt: HALT },
  },
  "compact.before": {
    in: {
      kind: KIND,
      trigger: TRIGGER,
      messages: "The messages of the context, oldest first.",
      systemPrompt: "The system prompt.",
      preparation:
        "The plan for a `full` compaction, such as `messagesToSummarize` and `firstKeptEntryId`; absent for other kinds.",
      branchEntries: "The session's entries on the current branch; absent for `micro`.",
      customInstructions: "The text that the person typed after `/compact`, if there is one.",
      willRetry: RESENT,
      signal: "An `AbortSignal`, which is aborted when the compaction is.",
      messageCount: "How many messages the context has.",
      nonSystemCount: "How many of them are not a summary.",
      summary: "The summary that stands for earlier messages now; empty if there is none.",
    },
    out: {
      cancel: "True: the compaction is not done; a `full` or `rolling` one is reported as cancelled.",
      skip: "`this`: this compaction is left out; `all`: so is the `full` or `rolling` one that would follow a `micro` one.",
      compaction: "An object with a `summary` in place of one by the model; not for `micro`.",
      instructions: "Texts that are added to the system prompt of the request for the summary.",
    },
  },
  "compact.prompt": {
    in: {
      sessionId: "The id of the session.",
      messages: "The messages that are summarised, oldest first.",
    },
    out: {
      context: "Lines that the summary must take into account; they are put into the request.",
      prompt: "Instructions for the summary in place of hookline's own.",
      preserveData:
        "An object that is stored with the summary; hooks see it before the next compaction, in its `preparation`.",
    },
  },
  "compact.after": {
    in: {
      kind: KIND,
      trigger: TRIGGER,
      messages: "The messages that are left in the context, with the new summary, oldest first.",
      compactionEntry: "The session's entry with the summary; absent for `micro`.",
      fromExtension: "Whether a hook supplied the summary.",
      willRetry: `${RESENT.slice(0, -1)}; only for \`full\`.`,
      messageCount: "How many messages are left in the context.",
      messagesArchived: "How many messages the summary replaced; for `micro`, how many results were replaced by notes.",
      summary: "The new summary; empty for `micro`.",
    },
    out: {
      messages:
        "The messages for the context in place of those; the session records what was changed, removed or added.",
      additionalContext: BEFORE_NEXT,
      halt: HALT,
    },
  },
  "compact.failed": {
    in: {
      trigger: TRIGGER,
      errorMessage: "Why it failed; absent if it was cancelled.",
      aborted: "Whether a person or a hook cancelled it.",
      willRetry: "Always false: the request that was too long is not sent again.",
      fromExtension: "Always false.",
    },
  },
  "compact.auto-start": {
    in: {
      trigger:
        "`threshold`: the context came near the model's limit; `overflow`: the provider refused a request as too long.",
    },
  },
  "compact.auto-end": {
    in: {
      result: "The compaction: its `summary`, `firstKeptEntryId`, `tokensBefore` and more. Absent if none was done.",
      aborted: "Whether a person or a hook cancelled or skipped it.",
      willRetry: "Whether the request that was too long is sent again now.",
      errorMessage: "Why it failed; absent if it did not.",
    },
  },
  "mail.before": {
    in: LETTER,
    out: {
      delivered: "True: the hook has dealt with the message, and hookline does not deliver it.",
      via: "With `delivered`: how it was delivered, for the model that sent it.",
    },
  },
  "mail.after": { in: { ...LETTER, result: "What the sending model is told: how it was delivered, or why not." } },
  "mcp.elicit": {
    in: {
      ...QUESTION,
      schema: "With `form`: a JSON Schema of the fields that the server asks for.",
    },
    out: {
      action:
        "The answer: `accept`, `decline`, or `cancel` for a question that was closed. The person is not asked then.",
      content: FORM,
    },
  },
  "mcp.elicited": {
    in: {
      ...QUESTION,
      action: "The answer so far: `accept`, `decline`, or `cancel` for a question that was closed.",
      content: FORM,
    },
    out: {
      action: "An answer in its place.",
      content: "With `accept`: values in place of the others.",
    },
  },
  "mcp.notification": {
    in: {
      server: "The name of the MCP server.",
      method: "The notification's method, such as `notifications/progress`.",
      params: "The notification's parameters, as the server sent them.",
    },
  },
  "mcp.change": {
    in: {
      servers:
        "All MCP servers of the session: each has its `name`, its `state`, the names of its `tools`, and the `problem` if it has failed.",
    },
  },
  "ui.prompt-start": { in: PROMPT },
  "ui.prompt-end": { in: PROMPT },
  "approval.requested": {
    in: {
      toolCallId: CALL.toolCallId,
      tool: CALL.tool,
      aliases: CALL.aliases,
      reason: "Why the person is asked, in the words of the hooks that want it.",
      args: "The arguments of the call.",
      askedBy:
        "The hooks that want the person to be asked: the format of each (`lane`) and its [`tier`](../../explanation/trust.md). Absent if the agent itself asks.",
    },
    out: {
      decision:
        "`deny` refuses the call. `allow` lets it run without asking the person, if only hooks of the same format and of the same or a lower [tier](../../explanation/trust.md) asked.",
      reason: "With `deny`: the error that the model gets.",
      args: "Arguments to run the call with in place of the others. All guards are asked about them.",
      halt: "Refuses the call and ends the run. The person is shown its `reason`; the model is not.",
    },
  },
  "approval.resolved": {
    in: {
      toolCallId: CALL.toolCallId,
      tool: CALL.tool,
      approved: "Whether the call may run.",
      reason:
        "Why it may not, if no person decided that: the reason of a hook, or that nobody could be asked or answered.",
    },
  },
  notify: {
    in: {
      type: "`permission_prompt`: a question is open; `idle_prompt`: the agent has nothing to do.",
      message: "The notice as a sentence.",
      title: "The open question; absent for `idle_prompt`.",
    },
  },
  "config.change": {
    in: {
      source:
        "The kind of file: `user_settings` (the person's), `project_settings` and `local_settings` (the project's; `local`: `settings.local.json`), `policy_settings` (an administrator's), or `skills`.",
      path: "The path of the file.",
    },
    out: {
      cancel: "True: nothing is reloaded, and all hooks stay as they were. It has no effect for `policy_settings`.",
      reason: "With `cancel`: why, for the person.",
    },
  },
};
