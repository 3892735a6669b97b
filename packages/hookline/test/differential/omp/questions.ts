import type { Question, Step } from "./drive.ts";

const silent: Step = {};
const boom: Step = { throws: "boom" };
const rejectsText: Step = { throws: { raw: "a text" } };

const message = (text: string): object => ({ role: "user", content: [{ type: "text", text }], timestamp: 1 });
const text = (said: string): object[] => [{ type: "text", text: said }];

const ANSWERS = {
  call: [
    silent,
    boom,
    rejectsText,
    { says: { block: true } },
    { says: { block: true, reason: "no" }, later: true },
    { says: { block: false, reason: "fine" } },
    { says: { input: { command: "ls -l" } } },
    { sets: [["input", "command"], "pwd"] },
  ],
  result: [
    silent,
    boom,
    { says: { content: text("edited") } },
    { says: { details: { edited: 1 } }, later: true },
    { says: { content: text("both"), details: null } },
    { says: { isError: true } },
    { says: {} },
  ],
  context: [
    silent,
    boom,
    { says: { messages: [message("other")] } },
    { says: { messages: [] }, later: true },
    { says: {} },
    { sets: [["messages", "0", "content"], text("in place")] },
  ],
  start: [
    silent,
    boom,
    { says: { message: { customType: "a", content: "one", display: true } } },
    { says: { message: { customType: "b", content: "two", display: false, details: { n: 2 } } }, later: true },
    { says: {} },
  ],
  before: [silent, boom, { says: { cancel: true } }, { says: { cancel: false }, later: true }, { says: {} }],
  compact: [
    silent,
    boom,
    { says: { cancel: true } },
    { says: { compaction: { summary: "s", firstKeptEntryId: "e1", tokensBefore: 9 } }, later: true },
    { says: { compaction: { summary: "t", firstKeptEntryId: "e1", tokensBefore: 9 } } },
  ],
  compacting: [
    silent,
    boom,
    { says: { context: ["a", "b"] } },
    { says: { prompt: "short", preserveData: { k: 1 } }, later: true },
    { says: {} },
  ],
  tree: [silent, boom, { says: { cancel: true } }, { says: { summary: { summary: "s", details: { n: 1 } } } }],
  observe: [silent, boom, rejectsText, { says: { cancel: true, block: true } }, { says: "text", later: true }],
} as const satisfies Record<string, readonly Step[]>;

const call = { toolName: "bash", toolCallId: "call_1", input: { command: "ls" } };
const result = { ...call, content: text("fine"), details: { lines: 1 }, isError: false };
const preparation = {
  firstKeptEntryId: "e1",
  messagesToSummarize: [],
  turnPrefixMessages: [],
  isSplitTurn: false,
  tokensBefore: 9,
  fileOps: {},
  settings: {},
};

const MORE = {
  call: [
    silent,
    boom,
    { says: { block: true } },
    { says: { block: true, reason: "no" }, later: true },
    { says: { block: false, reason: "fine" } },
    { says: { input: { command: "ls -l" } } },
    { says: { additionalContext: "note" } },
  ],
  result: [
    silent,
    boom,
    { says: { content: text("edited") } },
    { says: { details: { edited: 1 } }, later: true },
    { says: { isError: true } },
    { says: { isError: false, content: text("fine after all") } },
    { says: {} },
  ],
  start: [
    silent,
    boom,
    { says: { message: { customType: "a", content: "one", display: true } } },
    { says: { systemPrompt: ["new", "parts"] }, later: true },
    { says: { systemPrompt: "one text" } },
    { says: {} },
  ],
  input: [
    silent,
    boom,
    { says: { text: "other" } },
    { says: { text: "" } },
    { says: { handled: true }, later: true },
    { says: { images: [{ type: "image", data: "aGk=", mimeType: "image/png" }] } },
    { says: { action: "handled" } },
  ],
  ran: [
    silent,
    boom,
    { says: { result: { output: "out", exitCode: 0, cancelled: false, truncated: false } } },
    { says: { result: { output: "x", exitCode: 1, cancelled: false, truncated: false } }, later: true },
  ],
  stop: [
    silent,
    boom,
    { says: { decision: "block", reason: "not yet" } },
    { says: { continue: true, additionalContext: "go on" }, later: true },
    { says: { continue: true } },
    { says: { continue: true, reason: "why" } },
    { says: { continue: false, additionalContext: "no" } },
  ],
  wire: [silent, boom, { says: { model: "other" } }, { says: null }, { says: { model: "third" }, later: true }],
  paths: [silent, boom, { says: { skillPaths: ["a", "b"] } }, { says: { themePaths: ["t"], promptPaths: [] } }],
} as const satisfies Record<string, readonly Step[]>;

/** Sample fields of the observed events. */
const FIELDS_OF: Readonly<Record<string, object>> = {
  agent_end: { messages: [message("one")] },
  turn_start: { turnIndex: 0, timestamp: 1 },
  ttsr_triggered: { rules: [] },
  todo_reminder: { todos: [], attempt: 1, maxAttempts: 3 },
};

const stop = {
  messages: [message("one")],
  turn_id: 0,
  session_id: "s",
  stop_hook_active: false,
};

/** Every question about HookAPI: each event with every sequence of up to three of its answers. */
export const hookQuestions: readonly Question[] = [
  ...asked("call", "tool_call", call, ANSWERS.call),
  ...asked("emit", "tool_result", result, ANSWERS.result),
  ...asked("context", "context", { messages: [message("one"), message("two")] }, ANSWERS.context),
  ...asked("start", "before_agent_start", { prompt: "hello" }, ANSWERS.start),
  ...asked("emit", "session_before_switch", { reason: "new" }, ANSWERS.before),
  ...asked("emit", "session_before_branch", { entryId: "e1" }, ANSWERS.before),
  ...asked("emit", "session_before_compact", { preparation, branchEntries: [] }, ANSWERS.compact),
  ...asked("emit", "session.compacting", { sessionId: "s", messages: [] }, ANSWERS.compacting),
  ...asked("emit", "session_before_tree", { preparation: { targetId: "e1" } }, ANSWERS.tree),
  ...["session_start", "session_shutdown", "agent_end", "turn_start", "ttsr_triggered", "todo_reminder"].flatMap(
    (name) => asked("emit", name, FIELDS_OF[name] ?? {}, ANSWERS.observe, 2),
  ),
  ...tools(),
];

/** Every question about ExtensionAPI, in the same way. */
export const extensionQuestions: readonly Question[] = [
  ...asked("fire", "tool_call", call, MORE.call),
  ...asked("fire", "tool_result", result, MORE.result),
  ...asked("fire", "context", { messages: [message("one"), message("two")] }, ANSWERS.context),
  ...asked("fire", "before_agent_start", { prompt: "hello", systemPrompt: ["base"] }, MORE.start),
  ...asked("fire", "input", { text: "hello", source: "interactive" }, MORE.input),
  ...asked("fire", "user_bash", { command: "ls", excludeFromContext: false, cwd: "/" }, MORE.ran),
  ...asked("fire", "user_python", { code: "1", excludeFromContext: false, cwd: "/" }, MORE.ran),
  ...asked("fire", "session_stop", stop, MORE.stop),
  ...asked("fire", "before_provider_request", { payload: { model: "m", messages: [] } }, MORE.wire),
  ...asked("fire", "resources_discover", { cwd: "/", reason: "startup" }, MORE.paths),
  ...asked("fire", "session_before_switch", { reason: "new" }, ANSWERS.before),
  ...asked("fire", "session_before_branch", { entryId: "e1" }, ANSWERS.before),
  ...asked("fire", "session_before_compact", { preparation, branchEntries: [] }, ANSWERS.compact),
  ...asked("fire", "session.compacting", { sessionId: "s", messages: [] }, ANSWERS.compacting),
  ...asked("fire", "session_before_tree", { preparation: { targetId: "e1" } }, ANSWERS.tree),
  ...["agent_end", "turn_start", "session_shutdown", "session_start"].flatMap((name) =>
    asked("fire", name, FIELDS_OF[name] ?? {}, ANSWERS.observe, 2),
  ),
];

/** The events to which the modules of `extensionQuestions` listen. */
export const EXTENSION_EVENTS: readonly string[] = [...new Set(extensionQuestions.map(({ event }) => event))];

function asked(ask: Question["ask"], event: string, fields: object, answers: readonly Step[], longest = 3): Question[] {
  return sequences(answers, longest).map((steps) => ({ ask, event, fields: { ...fields }, steps }));
}

/** Whole tool calls: a guard, what the tool does, and what is made of its result. */
function tools(): Question[] {
  const after = sequences(ANSWERS.result, 1);
  return sequences(ANSWERS.call, 2).flatMap((steps) =>
    (["succeeds", "fails", "throws text"] as const).flatMap((tool) =>
      after.map((then): Question => ({ ask: "tool", event: "tool_call", fields: call, steps, after: then, tool })),
    ),
  );
}

function sequences<T>(items: readonly T[], longest: number): T[][] {
  let last: T[][] = [[]];
  const all: T[][] = [];
  for (let length = 1; length <= longest; length++) {
    last = last.flatMap((begun) => items.map((item) => [...begun, item]));
    all.push(...last);
  }
  return all;
}
