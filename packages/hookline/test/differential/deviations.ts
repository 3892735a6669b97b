import { type Facets, without, withoutEntries } from "./facets.ts";
import type { Release } from "./peer.ts";

type Event = Facets["events"][number];

/**
 * How one deliberate difference from the real pi appears in a run. The reason has the same name among the deviations of
 * conformance/requirements/pi.yaml, and so in the dialect's README; `npm run check` keeps the two lists equal. A
 * deviation without functions has a test of its own.
 */
export interface Deviation {
  /** Holds in every case; the others are named by the cases that show them. */
  readonly everywhere: boolean;
  /** The release of pi that differs, where the other one does the same as hookline. */
  readonly release?: Release;
  /** Takes the difference out of pi's run, or out of hookline's. */
  readonly pi?: (run: Facets) => Facets;
  readonly hookline?: (run: Facets) => Facets;
}

/** Every difference that is known and wanted. Whatever else differs fails the test that sees it. */
export const deviations: Readonly<Record<string, Deviation>> = {
  systemMessages: {
    everywhere: true,
    pi: (run) => ({
      ...run,
      events: run.events.filter(isNoSystemMessage).map(unsystem),
      requests: run.requests.map(onePrompt),
      entries: withoutEntries(run.entries, ({ fields }) => fields["message"]?.role === "system").map((entry) => ({
        ...entry,
        fields: without(entry.fields, "systemMessage"),
      })),
      out: run.out.filter(isNoSystemMessage).map(unsystem),
      responses: hasSystemEntry(run) ? run.responses.map(unsystemData) : run.responses,
    }),
  },
  levelAtCompaction: {
    everywhere: true,
    hookline: (run) => ({
      ...run,
      events: run.events.map(unlevelled),
      entries: run.entries.map((entry) =>
        entry.type === "compaction" ? { ...entry, fields: without(entry.fields, "thinkingLevel") } : entry,
      ),
      out: run.out.map(unlevelled),
      responses: run.responses.map(unlevelled),
    }),
  },
  runHasBegun: {
    everywhere: true,
    release: "0.87.1",
    pi: (run) =>
      withEvents(run, ["before_agent_start"], (event) => ({ ...event, ctx: { ...event["ctx"], idle: false } })),
  },
  nameOfTheAgent: {
    everywhere: true,
    hookline: (run) =>
      withEvents(run, ["before_provider_headers"], (event) => ({
        ...event,
        headers: without(event["headers"], "User-Agent"),
      })),
  },
  toldMore: {
    everywhere: true,
    hookline: (run) => ({
      ...run,
      out: run.out.filter((line) => !MORE.has(line?.type) && line?.message?.role !== "bashExecution"),
    }),
  },
  abortTold: {
    everywhere: true,
    release: "0.87.1",
    hookline: (run) => withoutField(run, ({ type }) => type === "agent_settled", "aborted"),
  },
  timeOfTools: {
    everywhere: true,
    release: "0.87.1",
    hookline: (run) => withoutField(run, ({ type }) => type === "tool_execution_end", "durationMs"),
  },
  kindOfStart: {
    everywhere: true,
    release: "0.87.1",
    hookline: (run) => withoutField(run, ({ type }) => type === "before_agent_start", "messageType"),
  },
  startByMessage: {
    everywhere: true,
    release: "0.87.1",
    hookline: (run) => ({
      ...run,
      events: run.events.filter(({ type, message }) => !(type === "before_agent_start" && message !== undefined)),
    }),
  },
  dispositions: {
    everywhere: true,
    release: "0.87.1",
    hookline: (run) => ({
      ...run,
      responses: run.responses.map((line) => (line.data?.disposition === undefined ? line : without(line, "data"))),
    }),
  },
  endsOfPrograms: {
    everywhere: false,
    release: "0.87.1",
    pi: withoutCodesOfSignals,
    hookline: (run) => withoutCodesOfSignals(withoutField(run, ({ killed }) => killed !== undefined, "truncated")),
  },
  timeOfMessages: {
    everywhere: true,
    release: "1.6.0",
    pi: (run) => withoutField(run, ({ role }) => role === "assistant" || role === "toolResult", "durationMs"),
  },
  levelOfReplies: {
    everywhere: true,
    release: "1.6.0",
    pi: (run) => withoutField(run, ({ role }) => role === "assistant", "thinkingLevel"),
  },
  structuredResults: {
    everywhere: true,
    release: "1.6.0",
    pi: (run) => withoutField(run, ({ content }) => Array.isArray(content), "structuredContent"),
  },
  toldFirst: {
    everywhere: true,
    pi: questionsApart,
    hookline: questionsApart,
  },
  moreTools: {
    everywhere: true,
    pi: withoutSearchTools,
    hookline: withoutSearchTools,
  },
  authorsOfTexts: {
    everywhere: true,
    hookline: (run) => {
      const bare = withoutCustom(run, "hookline-author");
      const isMessage = (line: any): boolean => /^message_(start|end)$/.test(line?.type);
      return { ...bare, out: bare.out.map((line) => (isMessage(line) ? without(line, "hooks") : line)) };
    },
  },
  toolsOfBranch: {
    everywhere: false,
    hookline: (run) => withoutCustom(run, "hookline-tools"),
  },
  effectivePrompt: {
    everywhere: false,
    pi: withoutMarks,
    hookline: withoutMarks,
  },
  toolsOfTakenUp: {
    everywhere: false,
    release: "0.87.1",
    pi: withoutToolsOfTakenUp,
    hookline: withoutToolsOfTakenUp,
  },
  toolsNeverMentioned: {
    everywhere: false,
    release: "1.6.0",
    pi: (run) => ({ ...run, notes: run.notes.map(withoutEarlyAfterMove) }),
  },
  roleOfInstructions: {
    everywhere: false,
    release: "1.6.0",
    hookline: (run) => ({
      ...withEvents(run, ["before_provider_request"], (event) => ({ ...event, payload: asSystem(event["payload"]) })),
      requests: run.requests.map(asSystem),
    }),
  },
  errorInResult: {
    everywhere: false,
    release: "1.6.0",
    pi: (run) =>
      withEvents(run, ["tool_execution_end"], (event) => ({ ...event, result: without(event["result"], "isError") })),
  },
  detailsOfFailedCommands: {
    everywhere: false,
    release: "1.6.0",
    hookline: (run) =>
      withoutField(run, ({ content, details }) => Array.isArray(content) && isEmpty(details), "details"),
  },
  commandsOfTexts: { everywhere: false, release: "1.6.0" },
  privateEvents: {
    everywhere: false,
    pi: (run) => withEvents(run, ["tool_call"], (event) => without(event, "input")),
    hookline: (run) => withEvents(run, ["tool_call"], (event) => without(event, "input")),
  },
  wordsAboutArguments: {
    everywhere: false,
    pi: withoutValidationWords,
    hookline: withoutValidationWords,
  },
  toldTwice: {
    everywhere: false,
    release: "0.87.1",
    pi: (run) => ({
      ...run,
      events: onceEach(run.events, ({ type, reason }) => `${type} ${reason}`),
      notes: onceEach(run.notes, String),
    }),
  },
  legacyNames: {
    everywhere: false,
    hookline: (run) => ({
      ...run,
      events: run.events.filter(({ type }) => !LEGACY.has(type)),
      notes: run.notes.filter(([type]) => !LEGACY.has(type)),
    }),
  },
  nextTurnWithAnyRun: {
    everywhere: false,
    release: "0.87.1",
    pi: (run) => withoutMessage(run, "next"),
    hookline: (run) => withoutMessage(run, "next"),
  },
  idleBesides: {
    everywhere: false,
    pi: withoutIdle,
    hookline: withoutIdle,
  },
  promptForMessages: {
    everywhere: false,
    release: "0.87.1",
    pi: withoutFirstPrompt,
    hookline: withoutFirstPrompt,
  },
  sameModel: {
    everywhere: false,
    pi: withoutModelChanges,
    hookline: withoutModelChanges,
  },
  unshownComponent: {
    everywhere: false,
    pi: (run) => ({
      ...run,
      events: run.events.filter(({ type, kind }) => !(/^ui_prompt_/.test(type) && kind === "custom")),
    }),
  },
  wordsOfErrors: {
    everywhere: false,
    pi: withoutErrorWords,
    hookline: withoutErrorWords,
  },
  wordsOfSummaries: {
    everywhere: false,
    pi: withoutSummaryWords,
    hookline: withoutSummaryWords,
  },
  boundaryPreview: {
    everywhere: false,
    pi: withoutPreview,
    hookline: withoutPreview,
  },
  abortEndsTheRun: {
    everywhere: false,
    pi: withoutTail,
    hookline: withoutTail,
  },
  errorOfResults: {
    everywhere: false,
    release: "0.87.1",
    pi: (run) => markedAs(run, false),
    hookline: (run) => markedAs(run, true),
  },
  takenBeforeTurn: {
    everywhere: false,
    pi: (run) => ({ ...run, notes: run.notes.map(withoutQueueAtTurn) }),
    hookline: (run) => ({ ...run, notes: run.notes.map(withoutQueueAtTurn) }),
  },
  loadOrder: { everywhere: false },
  modelOfSessions: { everywhere: false },
  sameName: { everywhere: false },
  personsName: { everywhere: false },
};

/** A run without a field of the objects that a test is true for, wherever they stand. */
function withoutField(run: Facets, has: (fields: Event) => boolean, name: string): Facets {
  const change = (value: any): any => {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map(change);
    const fields = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(inner)]));
    return has(fields) ? without(fields, name) : fields;
  };
  return change(run);
}

/** Without the tools of sessions that were forked or taken up: what was noted of them, and what their requests offered. */
function withoutToolsOfTakenUp(run: Facets): Facets {
  const from = run.notes.findIndex(([what]) => /^session_start (fork|resume)/.test(what));
  const untold = run.notes.map((note, at) => (at < from ? note : [note[0]]));
  const prompts = run.notes.slice(0, from).filter(([what]) => what === "before").length;
  const requests = run.requests.map((request, at) => (at < prompts ? request : without(request, "tools")));
  return { ...run, notes: untold, requests };
}

/** Without the codes of programs that a signal has ended. */
function withoutCodesOfSignals(run: Facets): Facets {
  const isOfSignal = (what: unknown): boolean => ["limit", "abort", "crash"].includes(what as string);
  return {
    ...run,
    notes: run.notes.map(([what, ...rest]) => (isOfSignal(what) ? [what, without(rest[0], "code")] : [what, ...rest])),
  };
}

/** A note of the active tools after a move in the tree, and of the same at the session's end, without the tool `early`. */
function withoutEarlyAfterMove([what, names]: any): unknown {
  const shown =
    what === "tree" || what === "shutdown"
      ? names.filter((name: string) => name !== "early" || names[1] === name)
      : names;
  return [what, shown];
}

/** A request in which a developer says what the system does. */
function asSystem(request: Event): Event {
  const messages = request["messages"].map((message: any) =>
    message.role === "developer" ? { ...message, role: "system" } : message,
  );
  return { ...request, messages };
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

const MORE = new Set(["session_changed", "model_changed", "tree_changed"]);

function withoutMarks(run: Facets): Facets {
  return withEvents(run, ["context_with_system"], (event) => ({
    ...event,
    messages: event["messages"].map((message: any) => (isNotSystem(message) ? message : { role: "system" })),
  }));
}

function withoutValidationWords(run: Facets): Facets {
  const text = JSON.stringify(run);
  return JSON.parse(
    text.replace(/Validation failed for tool \\"(\w+)\\"(?:\\\\.|\\.|[^"\\])*/g, "Validation failed for $1"),
  );
}

/** Without hookline's own entries of one type, wherever they are listed. */
function withoutCustom(run: Facets, type: string): Facets {
  const isIt = (item: any): boolean =>
    item === type || [item, item?.sourceEntry, item?.fields].some((one) => one?.customType === type);
  const change = (value: any): any => {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.filter((item) => !isIt(item)).map(change);
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, change(inner)]));
  };
  const { entries, ...rest } = run;
  return { ...change(rest), entries: withoutEntries(entries, isIt) };
}

/** Without the system prompt of the first request. */
function withoutFirstPrompt(run: Facets): Facets {
  const bare = (request: any): any => ({ ...request, messages: request.messages.filter(isNotSystem) });
  const first = run.events.find(({ type }) => type === "before_provider_request");
  return {
    ...run,
    events: run.events.map((event) => (event === first ? { ...event, payload: bare(event["payload"]) } : event)),
    requests: run.requests.map((request, at) => (at === 0 ? bare(request) : request)),
  };
}

const LEGACY = new Set(["session_switch", "session_fork"]);

/** Without those that say the same as the one two before them, as a pair that is told twice does. */
function onceEach<T>(items: readonly T[], key: (item: T) => string): T[] {
  const change = /^(session_shutdown|session_start|resources_discover)/;
  return items.filter((item, at) => {
    const before = items.slice(0, at).map(key).lastIndexOf(key(item));
    return !change.test(key(item)) || before < 0 || at - before > 3;
  });
}

const BESIDES = [
  "session_before_tree",
  "session_tree",
  "session_before_compact",
  "session_compact",
  "session_compact_failed",
  // Whether the agent is idle differs only in requests for a summary; in those of a prompt both programs agree.
  "before_provider_headers",
];

function withoutIdle(run: Facets): Facets {
  return withEvents(run, BESIDES, (event) => ({ ...event, ctx: without(event["ctx"], "idle") }));
}

/** Without the places of changed models in the session. */
function withoutModelChanges(run: Facets): Facets {
  return {
    ...run,
    entries: withoutEntries(run.entries, ({ type }) => type === "model_change"),
    events: run.events.map((event) => {
      const branch = event["ctx"].branch.filter((type: string) => type !== "model_change");
      return unlisted({ ...event, ctx: { ...event["ctx"], branch } });
    }),
  };
}

/** An event whose preview of the context has no changed models. */
function unlisted(event: Event): Event {
  const { context } = event;
  if (context === undefined) return event;
  const contextEntries = context.contextEntries.filter(({ sourceEntry }: any) => sourceEntry.type !== "model_change");
  return { ...event, context: { ...context, contextEntries } };
}

function withoutErrorWords(run: Facets): Facets {
  const words = ["error", "extensionPath", "stack"];
  return {
    ...run,
    out: run.out.map((line) => (line?.type === "extension_error" ? without(line, ...words) : line)),
    responses: run.responses.map((line) => without(line, "error")),
  };
}

function withoutSummaryWords(run: Facets): Facets {
  const isForSummary = ({ messages, tools }: any): boolean =>
    tools.length === 0 && messages.filter(isNotSystem).length === 1;
  const requests = run.requests.map((request) => {
    if (!isForSummary(request)) return request;
    return { ...without(request, "max_completion_tokens"), messages: request["messages"].map(({ role }: any) => role) };
  });
  const text = JSON.stringify({ ...run, requests });
  return JSON.parse(text.replace(/\*\*(Turn Context \(split turn\)|The turn that goes on below):\*\*/g, "**Turn:**"));
}

/** Without a hook's message of one kind, wherever it stands in the conversation. */
function withoutMessage(run: Facets, customType: string): Facets {
  const isIt = (item: any): boolean =>
    [item, item?.message, item?.sourceEntry, item?.fields].some((one) => one?.customType === customType) ||
    (item?.role === "user" && JSON.stringify(item.content).includes(`"${customType}"`));
  const change = (value: any): any => {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.filter((item) => !isIt(item)).map(change);
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, change(inner)]));
  };
  const { entries, ...rest } = run;
  const kept = change(rest);
  return {
    ...kept,
    events: kept.events.map((event: Event) => ({ ...event, ctx: without(event["ctx"], "branch") })),
    entries: withoutEntries(entries, isIt),
  };
}

function withoutPreview(run: Facets): Facets {
  return withEvents(run, ["turn_end", "agent_before_settle"], (event) => without(event, "context"));
}

/** A run that was aborted while its first call was judged, without what followed; what was settled and shut down stays. */
function withoutTail(run: Facets): Facets {
  const kept = new Set(["agent_settled", "session_shutdown"]);
  const asked = run.events.filter(({ type }) => type !== "tool_call");
  const end = asked.findIndex(({ type }) => type === "tool_execution_end") + 1;
  const tail = asked.slice(end).filter(({ type }) => kept.has(type));
  return {
    ...run,
    events: [...asked.slice(0, end), ...tail.map((event) => without(event, "ctx"))],
    entries: run.entries.slice(0, run.entries.findIndex(({ fields }) => fields["message"]?.role === "toolResult") + 1),
    out: run.out.slice(0, run.out.findIndex((line) => line?.type === "tool_execution_end") + 1),
  };
}

/** The marks of the results of a tool named `odd`, which returns `isError`, set to one value. */
function markedAs(run: Facets, isError: boolean): Facets {
  const change = (value: any): any => {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map(change);
    const fields: any = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, change(inner)]));
    if (fields.type === "tool_execution_end") fields.result = without(fields.result, "isError");
    return fields["toolName"] === "odd" && fields["isError"] === isError
      ? { ...fields, isError: "as the tool says" }
      : fields;
  };
  return change(run);
}

const SEARCH = new Set(["grep", "find", "ls"]);

/** Moves what hooks show and ask to the end, in its own order. */
function questionsApart(run: Facets): Facets {
  const isOfHook = (line: any): boolean => line?.type === "extension_ui_request";
  return { ...run, out: [...run.out.filter((line) => !isOfHook(line)), ...run.out.filter(isOfHook)] };
}

function withoutSearchTools(run: Facets): Facets {
  const shown = withEvents(run, ["before_provider_request"], (event) => ({
    ...event,
    payload: withoutSearch(event["payload"]),
  }));
  return { ...shown, requests: run.requests.map(withoutSearch) };
}

function withoutSearch(request: Facets["requests"][number]): Facets["requests"][number] {
  return { ...request, tools: request["tools"]?.filter(({ name }: { name: string }) => !SEARCH.has(name)) };
}

function withEvents(run: Facets, types: readonly string[], change: (event: Event) => Event): Facets {
  return { ...run, events: run.events.map((event) => (types.includes(event["type"]) ? change(event) : event)) };
}

function isNoSystemMessage(line: any): boolean {
  return line?.message?.role !== "system";
}

/** Lists of messages and entries without the system's; in requests and what shows them the first one stays. */
function unsystem(line: any): any {
  if (typeof line !== "object" || line === null) return line;
  const { messages, payload, context, ctx, preparation, branchEntries, compactionEntry } = line;
  const list = line.type === "context_with_system" ? leading(messages) : messages?.filter(isNotSystem);
  return {
    ...line,
    ...(Array.isArray(messages) && { messages: list }),
    ...(payload !== undefined && { payload: onePrompt(payload) }),
    ...(context !== undefined && { context: unsystemLists(context) }),
    ...(preparation !== undefined && { preparation: unsystemLists(preparation) }),
    ...(branchEntries !== undefined && unsystemLists({ branchEntries })),
    ...(compactionEntry !== undefined && { compactionEntry: unsystemHeld(compactionEntry) }),
    ...(ctx?.branch !== undefined && {
      ctx: { ...ctx, branch: ctx.branch.filter((role: string) => role !== "system") },
    }),
  };
}

function hasSystemEntry({ entries }: Facets): boolean {
  return entries.some(({ fields }) => fields["message"]?.role === "system");
}

/** Removes the system prompt's data from a response of the RPC mode. */
function unsystemData(response: any): any {
  const { data } = response;
  if (typeof data !== "object" || data === null) return response;
  const counts = ["messageCount", "totalMessages"].filter((name) => data[name] > 0);
  const counted = Object.fromEntries(counts.map((name) => [name, data[name] - 1]));
  return { ...response, data: { ...unsystemLists(data), ...counted } };
}

/** Each list of messages or entries among an object's fields without the system's, in what they hold too. */
function unsystemLists(fields: any): any {
  const ofSystem = (item: any): boolean => (item?.sourceEntry?.message ?? item?.message ?? item)?.role === "system";
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.filter((item) => !ofSystem(item)).map(unsystemHeld) : value,
    ]),
  );
}

/** A note of a state at `turn_start` without whether messages wait. */
function withoutQueueAtTurn(note: any): unknown {
  return note[0] === "turn_start" ? [note[0], without(note[1], "pending")] : note;
}

/** A value in which no entry of a compaction names the level of thinking, wherever it stands. */
function unlevelled<T>(value: T): T {
  if (Array.isArray(value)) return value.map(unlevelled) as T;
  if (typeof value !== "object" || value === null) return value;
  const fields: Record<string, unknown> = Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, unlevelled(part)]),
  );
  return (fields["type"] === "compaction" ? without(fields, "thinkingLevel") : fields) as T;
}

/** A compaction keeps the prompt with its entry, and gives it with its messages. */
function unsystemHeld(item: any): any {
  if (typeof item !== "object" || item === null) return item;
  const { systemMessage: _, ...rest } = item;
  return {
    ...rest,
    ...(rest.messages !== undefined && { messages: rest.messages.filter(isNotSystem) }),
    ...(rest.sourceEntry !== undefined && { sourceEntry: unsystemHeld(rest.sourceEntry) }),
  };
}

function onePrompt(request: any): any {
  return { ...request, messages: leading(request.messages) };
}

/** The messages without the system's; whether there is one at the head is not compared here but by its marks. */
function leading(messages: readonly any[] = []): any[] {
  const first = messages.find(({ role }) => role === "system");
  return [...(first === undefined ? [] : [first]), ...messages.filter(isNotSystem)];
}

function isNotSystem({ role }: { readonly role: string }): boolean {
  return role !== "system";
}
