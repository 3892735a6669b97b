import { type Facets, without, withoutEntries } from "./facets.ts";

type Event = Facets["events"][number];

/** One way in which hookline differs from the real pi on purpose, and what it looks like in a run. */
export interface Deviation {
  /** Why. */
  readonly reason: string;
  /** Holds in every case; the others are named by the cases that show them. */
  readonly everywhere: boolean;
  /** Takes the difference out of pi's run, or out of hookline's. */
  readonly pi?: (run: Facets) => Facets;
  readonly hookline?: (run: Facets) => Facets;
}

/** Every difference that is known and wanted. Whatever else differs fails the test that sees it. */
export const deviations: Readonly<Record<string, Deviation>> = {
  systemMessages: {
    everywhere: true,
    reason:
      "pi keeps the system prompt as a message of the conversation and of the session. Here it is no message, so that " +
      "extensions that take the first message for the person's are right.",
    pi: (run) => ({
      ...run,
      events: run.events.filter(isNoSystemMessage).map(unsystem),
      requests: run.requests.map(onePrompt),
      entries: withoutEntries(run.entries, ({ fields }) => fields["message"]?.role === "system"),
      out: run.out.filter(isNoSystemMessage).map(unsystem),
    }),
  },
  runHasBegun: {
    everywhere: true,
    reason: "A prompt that is being prepared keeps the agent from being idle; pi says so too since 1.0.",
    pi: (run) =>
      withEvents(run, ["before_agent_start"], (event) => ({ ...event, ctx: { ...event["ctx"], idle: false } })),
  },
  nameOfTheAgent: {
    everywhere: true,
    reason: "The header that names the program is shown to hooks, which may then change it.",
    hookline: (run) =>
      withEvents(run, ["before_provider_headers"], (event) => ({
        ...event,
        headers: without(event["headers"], "User-Agent"),
      })),
  },
  toldMore: {
    everywhere: true,
    reason: "The end of a prompt says whether it was aborted; pi does so since 1.1.",
    hookline: (run) => withEvents(run, ["agent_settled"], (event) => without(event, "aborted")),
  },
  moreTools: {
    everywhere: true,
    reason: "grep, find and ls are offered from the start; pi has them and offers them on request.",
    hookline: (run) => ({
      ...withEvents(run, ["before_provider_request"], (event) => ({
        ...event,
        payload: withoutSearch(event["payload"]),
      })),
      requests: run.requests.map(withoutSearch),
    }),
  },
  effectivePrompt: {
    everywhere: false,
    reason:
      "context_with_system shows the system prompt that is sent; pi shows it as it was before this prompt's hooks.",
    pi: withoutMarks,
    hookline: withoutMarks,
  },
  privateEvents: {
    everywhere: false,
    reason:
      "An event is a copy of its own for each extension, so that none changes what another sees by accident. Assigning " +
      "to tool_call's input changes nothing in either program but what later extensions of pi are shown.",
    pi: (run) => withEvents(run, ["tool_call"], (event) => without(event, "input")),
    hookline: (run) => withEvents(run, ["tool_call"], (event) => without(event, "input")),
  },
  wordsAboutArguments: {
    everywhere: false,
    reason: "Each program has its own words for arguments that do not fit a tool's schema.",
    pi: withoutValidationWords,
    hookline: withoutValidationWords,
  },
  boundaryPreview: {
    everywhere: false,
    reason:
      "What one handler proposes at a boundary stands in the next one's event.entries; the preview of the context is made " +
      "once, before any of them.",
    pi: withoutPreview,
    hookline: withoutPreview,
  },
  abortEndsTheRun: {
    everywhere: false,
    reason:
      "An abort ends the run where it is: handlers that have not been asked about a call are not asked any more, and no " +
      "further turn is begun in which the model would be said to have been aborted. agent_settled says it.",
    pi: withoutTail,
    hookline: withoutTail,
  },
  errorOfResults: {
    everywhere: false,
    reason: "A result that a tool marks as an error is one; pi honours that since 0.99.",
    pi: (run) => markedAs(run, false),
    hookline: (run) => markedAs(run, true),
  },
};

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
  const { messages, payload, context, ctx } = line;
  const list = line.type === "context_with_system" ? leading(messages) : messages?.filter(isNotSystem);
  return {
    ...line,
    ...(Array.isArray(messages) && { messages: list }),
    ...(payload !== undefined && { payload: onePrompt(payload) }),
    ...(context !== undefined && { context: unsystemContext(context) }),
    ...(ctx?.branch !== undefined && {
      ctx: { ...ctx, branch: ctx.branch.filter((role: string) => role !== "system") },
    }),
  };
}

function unsystemContext({ contextEntries, contextMessages, llmMessages, ...rest }: any): any {
  return {
    ...rest,
    contextEntries: contextEntries.filter(({ sourceEntry }: any) => sourceEntry.message?.role !== "system"),
    contextMessages: contextMessages.filter(isNotSystem),
    llmMessages: llmMessages.filter(isNotSystem),
  };
}

function onePrompt(request: any): any {
  return { ...request, messages: leading(request.messages) };
}

function leading(messages: readonly any[]): any[] {
  return messages.filter((message, at) => at === 0 || isNotSystem(message));
}

function isNotSystem({ role }: { readonly role: string }): boolean {
  return role !== "system";
}
