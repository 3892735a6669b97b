/** A sentence for each field of an event that hooks see (`in`) and of its answer (`out`). */
export interface Sentences {
  readonly in?: Readonly<Record<string, string>>;
  readonly out?: Readonly<Record<string, string>>;
}

/** Describes an answer that ends the run. */
export const HALT =
  "Ends the run without another request to the model. The person is shown its `reason`; the model is not.";
/** Describes a text for the next request. */
export const BEFORE_NEXT =
  "A text that is added before the next request. The model sees it; the person's screen does not show it.";

const STOP_REASON = "With `stop`: why, for the person.";
const AFTER_PROMPT = "A text that is added after the prompt. The model sees it; the person's screen does not show it.";
const CHANGE =
  "`new`: another session begins; `resume`: an existing one is opened; `fork`: a copy of the current one is opened.";
const CLEARED = {
  context: "The name of the context; `default` if no other was chosen.",
  messageCount: "How many messages the context had before it was cleared.",
  summary: "The summary that stood for earlier messages before that; empty if there was none.",
};
const REPLIED = {
  reply: "The text of the model's last reply.",
  messages: "The conversation, oldest message first.",
};
const AGAIN =
  "What the model is told when it is sent back to work. Without this field, the hook does not object to the end.";
const DRAFTS = "Entries to add to the session, of the type `custom`, `custom_message`, `context_edit` or `compaction`.";
const DRAFTED = "The entries that earlier hooks want to add to the session; empty for the first hook.";
const NEXT_CONTEXT =
  "What the next request would be made of: the messages in the context and those that wait. Absent in agents behind the [bridge](../../guide/bridge.md).";
const TYPED_CWD = "The folder in which it would run.";
const REFUSAL = "Why it must not run. The person is shown this text, and nothing runs.";
const MODEL = "The model that is chosen: an object with `id`, `provider` and further facts.";
const PREVIOUS_MODEL = "The model before it, with the same fields.";

/** Sentences about the events of sessions, prompts, runs and requests. */
export const RUN_SENTENCES: Readonly<Record<string, Sentences>> = {
  "session.start": {
    in: {
      reason:
        "`startup`: hookline has started; `reload`: the hooks were loaded again; `new`, `resume`, `fork`: the session has replaced another one.",
      previousSessionFile:
        "The file of the session that was open before; absent at startup, and if that one had no file.",
    },
    out: {
      additionalContext: BEFORE_NEXT,
      title: "A new name for the session.",
      firstMessage:
        "The prompt of an unattended run that was started without one. Otherwise it is dropped, with a notice.",
      halt: "Refuses the session: it takes no prompt, and after a switch or fork the previous session is opened again. The person is shown its `reason`.",
    },
  },
  "session.end": {
    in: {
      reason:
        "`quit`: hookline ends; `reload`: the hooks are loaded again; `new`, `resume`, `fork`: another session replaces this one.",
      targetSessionFile: "The file of the session that comes next; absent if none does, or if it has no file.",
    },
  },
  "session.before-switch": {
    in: {
      reason: CHANGE,
      targetSessionFile: "The file of the session to open; absent if it is new or not chosen by its file.",
    },
    out: { cancel: "True keeps the current session open." },
  },
  "session.switch": {
    in: { reason: CHANGE, previousSessionFile: "The file of the session that was left; absent if it had none." },
  },
  "session.before-branch": {
    in: {
      entryId: "The id of the session's entry at which it is forked.",
      position:
        "`before`: the copy ends before the entry, which is a message of the person; `at`: it includes the entry.",
    },
    out: {
      cancel: "True prevents the fork.",
      skipConversationRestore: "True copies the whole conversation, not only the part up to the entry.",
    },
  },
  "session.branch": {
    in: { previousSessionFile: "The file of the session that was forked; absent if it had none." },
  },
  "session.before-tree": {
    in: {
      preparation:
        "The move: `targetId`, `oldLeafId`, `commonAncestorId`, the `entriesToSummarize` of the branch that is left, and whether the person wants a summary of it (`userWantsSummary`).",
      signal: "An `AbortSignal`, which is aborted when the person cancels the move.",
    },
    out: {
      cancel: "True keeps the session where it is.",
      summary:
        "An object with the `summary` of the branch that is left, in place of one by the model. Used if the person wants a summary.",
      customInstructions: "Instructions for the model that writes the summary, in place of the person's.",
      replaceInstructions: "True: the instructions replace hookline's own; otherwise they are added to them.",
      label: "A label for the summary, or without a summary for the entry to which the session moves.",
    },
  },
  "session.tree": {
    in: {
      newLeafId: "The id of the entry after which the session now continues; null at its very beginning.",
      oldLeafId: "The id of the entry after which it would have continued before.",
      summaryEntry: "The session's entry with the summary of the branch that was left; absent if there is no summary.",
      fromExtension: "Whether a hook supplied that summary.",
    },
  },
  "session.info": { in: { name: "The session's new name; absent if its name was removed." } },
  "project.trust": {
    in: { cwd: "The folder in which hookline was started." },
    out: {
      trusted: "`yes` runs the project's hooks without asking the person; `no` runs none of them.",
      remember: "With `yes`: true stores that as the person's approval of the hooks as they are now.",
    },
  },
  "context.switch": {
    in: {
      from: "The name of the context that was current before.",
      to: "The name of the context that is current now.",
      transient: "Whether the context was chosen for this run alone (`--transient-context`).",
    },
  },
  "context.before-clear": {
    in: {
      context: "The name of the context; `default` if no other was chosen.",
      messageCount: "How many messages the context has.",
      summary: "The summary that stands for earlier messages; empty if there is none.",
    },
  },
  "context.clear": { in: CLEARED },
  "instructions.loaded": {
    in: {
      path: "The path of the file.",
      tier: "`user`: the file is the person's own; `project`: it belongs to the project.",
      reason: "`session_start`: a file of instructions, read at the start; `rule`: a rule; `nested`: not used yet.",
      globs: "The patterns of the files to which a rule applies; absent if it names none.",
    },
  },
  input: {
    in: {
      text: "The text as it was submitted.",
      images: "Pictures that come with the text, as content blocks.",
      source: "`interactive`: typed by a person; `rpc`: sent by a client in RPC mode; `extension`: sent by a hook.",
      streaming:
        "The queue in which the text would wait for the running prompt: `steer` for its next turn, `followUp` for its end. Absent if no prompt is running.",
    },
    out: {
      text: "A text in its place.",
      images: "Pictures in place of those that came with it.",
      handled: "True: the hook has dealt with the text, and nothing is sent to the model.",
      stop: "True: the text is not sent, and the person is told that a hook stopped it.",
    },
  },
  "prompt.expand": {
    in: {
      kind: "`skill`: a skill is called; `template`: a prompt template; `mcp`: a prompt of an MCP server.",
      name: "The name of the skill or the prompt, without `/`.",
      args: "The text after the name.",
      source: "The file of the skill or template, or the name of the MCP server.",
      prompt: "The whole text, before it is replaced.",
    },
    out: {
      stop: "True: nothing is sent to the model.",
      reason: STOP_REASON,
      additionalContext: AFTER_PROMPT,
      halt: "Nothing is sent, and a run that is under way ends. The person is shown its `reason`; the model is not.",
    },
  },
  "prompt.before": {
    in: {
      text: "The prompt; skills and templates that it called have been put in.",
      images: "Pictures that come with the prompt, as content blocks.",
    },
    out: {
      text: "A prompt in its place.",
      stop: "True: this prompt does not reach the model.",
      reason: STOP_REASON,
      feedback: "With `stop`: a text that is sent to the model in place of the prompt.",
      additionalContext: AFTER_PROMPT,
      title: "A new name for the session.",
      halt: HALT,
    },
  },
  "input.sent": { in: { text: "The text as the model gets it." } },
  "shell.user": {
    in: {
      command: "The command that the person typed, without `!`.",
      excludeFromContext: "True after `!!`: the model does not see the command and its output.",
      cwd: TYPED_CWD,
    },
    out: {
      operations: "An object with a function `exec` that runs the command in place of hookline's shell.",
      result: "A result; the command is not run. It has `output`, `exitCode`, `cancelled` and `truncated`.",
      cancel: REFUSAL,
    },
  },
  "python.user": {
    in: {
      code: "The code that the person typed, without `$`.",
      excludeFromContext: "True after `$$`: the model does not see the code and its output.",
      cwd: TYPED_CWD,
    },
    out: {
      result: "A result; the code is not run. It has `output`, `exitCode`, `cancelled` and `truncated`.",
      cancel: REFUSAL,
    },
  },
  "resources.discover": {
    in: {
      cwd: "The folder of the session.",
      reason:
        "`startup`: at the start of hookline and of each further session; `reload`: after the hooks were loaded again.",
    },
    out: {
      skillPaths: "Further paths at which skills are looked for.",
      promptPaths: "Further paths at which prompt templates are looked for.",
      themePaths: "Further paths at which themes are looked for.",
    },
  },
  "agent.before-start": {
    in: {
      prompt: "The prompt as hooks have left it; empty if a hook's message starts the run.",
      images: "Pictures that come with the prompt, as content blocks.",
      message: "The message with which a hook starts the run; absent for a prompt.",
      systemPrompt: "The system prompt of the run.",
      promptParts:
        "The parts of the system prompt (`options`: tools, skills, files, …) and the function `render` that joins them.",
    },
    out: {
      messages: "Messages that are added after the prompt.",
      systemPrompt: "A system prompt for the run in place of the other.",
      activeTools: "The names of the tools that the model is offered from now on, and no others.",
    },
  },
  "agent.end": {
    in: {
      messages: "The messages that the run has added to the conversation, oldest first.",
      aborted: "Whether the run was aborted, such as by a person.",
      willRetry: "True if the run has failed and hookline tries again.",
      error: "Why the run has failed for good: its `kind` and the provider's `message`. Absent otherwise.",
    },
  },
  "agent.stop": {
    in: {
      prompt: "The prompt as the model got it.",
      ...REPLIED,
      retryCount:
        "How often hooks of formats other than Claude Code's have already sent the model back for this prompt.",
      stopHookActive: "Whether any hook has already sent the model back for this prompt.",
      cap: "How often Claude Code's hooks may send the model back for one prompt. All other hooks together have a [limit of their own](../../guide/force-a-retry.md).",
    },
    out: {
      stop: "True: the agent stops, even if other hooks want to send it back.",
      feedback: AGAIN,
      additionalContext:
        "Beside `feedback`, of this hook or another: a text that is added to the system prompt of the next request.",
    },
  },
  "agent.before-settle": {
    in: {
      entries: DRAFTED,
      continue: "Whether an earlier hook wants another request to the model; false for the first hook.",
      canContinue: "Whether a model could answer now: the last message is not its own.",
      outcome: "How the run ended: with a reply or stopped by a hook (`completed`), `aborted`, or with an `error`.",
      context: NEXT_CONTEXT,
    },
    out: {
      entries: DRAFTS,
      continue:
        "True sends another request, if the run ended with a reply and a model could answer the conversation as it is now.",
    },
  },
  "agent.settled": { in: { aborted: "Whether the last run was aborted, such as by a person." } },
  "turn.start": {
    in: {
      turnIndex: "The number of the turn in this run, from 0.",
      timestamp: "The time, in ms since 1970.",
    },
  },
  "turn.end": {
    in: {
      turnIndex: "The number of the turn in this run, from 0.",
      message: "The model's reply.",
      toolResults: "The results of the reply's tool calls, as messages.",
      messageEntryId: "The id of the session's entry with the reply; absent if the reply was not stored.",
      toolResultEntryIds: "The ids of the session's entries with the results.",
      entries: DRAFTED,
      continue: "Whether an earlier hook wants another request; false for the first hook.",
      context: NEXT_CONTEXT,
    },
    out: {
      entries: DRAFTS,
      continue:
        "True sends another request after a reply without tool calls, if the last message is not the model's own.",
      halt: HALT,
    },
  },
  "message.start": {
    in: { message: "The message, with its `role`. A reply of the model holds only what has arrived of it." },
  },
  "message.update": {
    in: {
      message: "The reply as far as it has arrived.",
      event: "The piece: an event of the stream, such as `text_delta`.",
    },
  },
  "message.end": {
    in: { message: "The complete message, with its `role`, such as `user`, `assistant` or `toolResult`." },
    out: { message: "A message in its place. It must have the same `role`; otherwise it is not used." },
  },
  "reply.final": {
    in: {
      prompt: "The prompt as the person typed it; empty if no person did.",
      finalPrompt: "The prompt as the model got it.",
      reply: "The text of the reply.",
    },
  },
  "retry.start": {
    in: {
      attempt: "The number of this retry, from 1.",
      maxAttempts: "How many retries there are at most.",
      delayMs: "How long hookline waits before it, in ms.",
      errorMessage: "Why the request before has failed, in the provider's words.",
    },
  },
  "retry.end": {
    in: {
      success: "Whether a retry has succeeded.",
      attempt: "How many retries were begun.",
      finalError: "Why the last one has failed; absent after success.",
    },
  },
  "rule.triggered": {
    in: { rules: "The rules that matched: each has its `name`, its `path`, its text (`content`) and its conditions." },
  },
  "todo.reminder": {
    in: {
      todos: "The open items: each has its text (`content`) and `status`.",
      attempt: "The number of this reminder for the prompt, from 1.",
      maxAttempts: "How many reminders there are at most for one prompt.",
    },
  },
  "agent.spawn": {
    in: {
      type: "The name of the sub-agent's definition.",
      prompt: "The task that the sub-agent is given.",
      description: "The task in a few words, by the model that wants it.",
      model: "The model that the sub-agent would use, as `PROVIDER/ID`.",
      tools: "The names of the tools that it would be offered.",
      depth: "How deep it is nested: 1 for a sub-agent of the main agent.",
    },
    out: {
      cancel: "True: the sub-agent is not started.",
      reason: "With `cancel`: the error that the calling model gets.",
      model: "Another model, or a list of models of which the first available one is used.",
      note: "A line for the person, such as why the model was changed.",
      prompt: "A task in place of the other.",
    },
  },
  "agent.spawned": {
    in: {
      prompt: "The task that the sub-agent is given.",
      model: "The id of the sub-agent's model.",
      tools: "The names of the tools that it is offered.",
    },
    out: { additionalContext: "A text that is added after the task, for the sub-agent's model." },
  },
  "agent.done": {
    in: {
      prompt: "The task that the sub-agent was given.",
      reply: "The text of the sub-agent's last reply.",
      messages: "The sub-agent's conversation, oldest message first.",
      retryCount: "How often hooks have already sent this sub-agent back.",
      stopHookActive: "Whether a hook has already sent this sub-agent back.",
      cap: "How often hooks may send this sub-agent back in all.",
    },
    out: {
      stop: "True: the reply goes to the parent agent, even if other hooks want to send the sub-agent back.",
      feedback: AGAIN,
    },
  },
  "prompt.build": {
    in: { base: "The system prompt as hookline has made it." },
    out: {
      before: "Texts that are put before it.",
      after: "Texts that are put after it.",
    },
  },
  "tools.select": {
    in: { tools: "The tools that would be offered: each has a `name`, a `description`, `parameters` and a `type`." },
    out: {
      include: "The names of the tools to offer; all others are left out.",
      exclude: "The names of tools to leave out.",
    },
  },
  "model.context": {
    in: {
      messages: "The messages of the request, oldest first.",
      systemPrompt: "The system prompt of the request.",
      model: "The id of the model that is asked.",
    },
    out: {
      messages: "Messages in place of the others, for this request alone.",
      systemPrompt: "A system prompt in place of the other, for this request alone.",
      inject: "Messages that are added at the end, for this request alone.",
      additionalContext: "A text that is added to the system prompt of this request.",
      stop: "True: the request is not sent.",
      feedback: "With `stop`: a message for the model; another request follows with it. Without it the run ends.",
    },
  },
  "model.request": {
    in: {
      request:
        "The request: `model`, `systemPrompt`, `messages` and `tools`; also `temperature`, `maxTokens` and `extra` if they are set.",
    },
    out: {
      request: "A request in its place.",
      stop: "True: the request is not sent, and the run ends.",
    },
  },
  "model.wire": {
    in: { body: "The body of the HTTP request, as an object in the provider's format." },
    out: {
      body: "A body in its place.",
      stop: "True: the request is not sent, and fails.",
    },
  },
  "model.headers": {
    in: { headers: "The headers by name. One whose value is null is not sent." },
    out: { headers: "All headers in place of the others; null removes one." },
  },
  "model.responded": {
    in: {
      status: "The HTTP status of the response.",
      headers: "The response's headers by name.",
    },
  },
  "model.response": {
    in: {
      text: "The text of the reply.",
      model: "The id of the model that was asked.",
      toolCalls: "The tool calls that the reply asks for. Hooks cannot change them here.",
      finishReason:
        "Why the model ended the reply: it was done (`stop`), too long (`length`), or calls tools (`toolUse`).",
    },
    out: {
      text: "A text in its place.",
      stop: "True: the reply is discarded, and its tool calls do not run.",
      feedback:
        "With `stop`: a message for the model; another request follows with it. Past the [limit](../../guide/force-a-retry.md) of such requests the reply is kept. Without this field the run ends.",
    },
  },
  "reply.before": {
    in: {
      text: "The text of the reply.",
      model: "The id of the model that was asked.",
    },
    out: {
      text: "A text in its place.",
      stop: "True: the run ends without this reply.",
      reason: STOP_REASON,
    },
  },
  "model.before-select": {
    in: {
      model: MODEL,
      previousModel: PREVIOUS_MODEL,
      source: "`set`: the model was named; `cycle`: it is the next one of the list.",
      contextTokens: "How many tokens the context has; absent if that is not known.",
    },
    out: {
      decision: "`deny` keeps the old model, `ask` asks the person, `allow` agrees.",
      reason: "Why, for the person.",
    },
  },
  "model.select": {
    in: {
      model: MODEL,
      previousModel: PREVIOUS_MODEL,
      source:
        "`set`: the model was named; `cycle`: it is the next one of the list; `restore`: the session used it last.",
    },
    out: { additionalContext: BEFORE_NEXT },
  },
  "thinking.select": {
    in: {
      level: "The level that is used from now on, such as `off` or `high`.",
      previousLevel: "The level before it.",
    },
  },
};
