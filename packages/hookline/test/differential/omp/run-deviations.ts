import { type Facets as AllFacets, marksOf, without } from "../facets.ts";

/** The parts by which two runs of a whole program are compared; each event has its context's state under `ctx`. */
export type Facets = Pick<AllFacets, "code" | "notes" | "results" | "events" | "requests">;

type Event = Facets["events"][number];

/** How one deliberate difference from oh-my-pi's program appears in a run. */
export interface RunDeviation {
  /** Holds in every case; the others are named by the cases that show them. */
  readonly everywhere: boolean;
  /** Takes the difference out of omp's run, or out of hookline's. */
  readonly omp?: (run: Facets) => Facets;
  readonly hookline?: (run: Facets) => Facets;
}

/**
 * Every difference between whole runs that is known and wanted. What it is, and why, stands under the same name among
 * the deviations of conformance/requirements/omp.yaml; `npm run check` holds the two lists together.
 */
export const runDeviations: Readonly<Record<string, RunDeviation>> = {
  toldBehind: { everywhere: true, omp: askedFirst, hookline: askedFirst },
  inputEverywhere: {
    everywhere: true,
    omp: withoutInput,
    hookline: withoutInput,
  },
  commandsAreNoInput: {
    everywhere: false,
    omp: (run) => ({ ...run, notes: run.notes.filter(([what, text]) => what !== "input" || !/^[!$]/.test(text)) }),
  },
  messageFields: { everywhere: true, omp: withoutOwnFields, hookline: withoutOwnFields },
  toolsOfItsOwn: { everywhere: true, omp: withSharedTools, hookline: withSharedTools },
  resultsOfTools: { everywhere: true, omp: withoutResultWords, hookline: withoutResultWords },
  ownRequest: { everywhere: true, omp: conversationOnly, hookline: conversationOnly },
  endsOfBlocks: { everywhere: true, omp: withoutEnds, hookline: withoutEnds },
  formOfCommands: { everywhere: false, omp: withCommandsOfPi },
  endOfThisRun: { everywhere: false, omp: withoutEndMessages, hookline: withoutEndMessages },
  levelAfterSwitch: { everywhere: false, omp: withoutOff },
  compactionForm: { everywhere: false, omp: withoutCompactionForm, hookline: withoutCompactionForm },
  callsAtOnce: { everywhere: false, omp: callByCall, hookline: callByCall },
  hooksFirst: { everywhere: false, omp: withoutRefusedCalls, hookline: withoutRefusedCalls },
  stopAfterError: {
    everywhere: false,
    omp: (run) => ({ ...run, events: run.events.filter(({ type }) => type !== "session_stop") }),
  },
  stopGoesOn: {
    everywhere: false,
    omp: (run) => asOneRun(asUser(withoutTurnNumbers(run))),
    hookline: withoutTurnNumbers,
  },
  followUpsStart: {
    everywhere: false,
    omp: (run) => withoutQueue(without2nd(run, "before_agent_start")),
    hookline: withoutQueue,
  },
  retriedBelow: { everywhere: false, omp: withoutRequests, hookline: (run) => withoutRequests(withoutRetries(run)) },
  retriesTold: { everywhere: false, omp: withRetriesLast, hookline: withRetriesLast },
  abortedReply: { everywhere: false, omp: withoutAborted, hookline: withoutAborted },
  returnedInput: { everywhere: false, omp: withoutShownInput, hookline: withoutShownInput },
  writtenInput: { everywhere: false, omp: withoutArguments, hookline: withoutArguments },
  wordsAboutArguments: { everywhere: false, omp: withoutValidationWords, hookline: withoutValidationWords },
  wordsOfHooks: { everywhere: false, omp: withoutGuardWords },
  abortEndsTheRun: { everywhere: false, omp: withoutTail, hookline: withoutTail },
};

function withEvents(run: Facets, types: readonly string[], change: (event: Event) => Event): Facets {
  return { ...run, events: run.events.map((event) => (types.includes(event["type"]) ? change(event) : event)) };
}

const ASKED = new Set([
  ...["session_before_switch", "session_before_branch", "session_before_compact", "session_before_tree"],
  ...["session.compacting", "input", "before_agent_start", "context", "before_provider_request", "tool_call"],
  ...["tool_result", "session_stop", "user_bash"],
]);

/**
 * Sorts the events by kind: first those that hooks answer, then those that they observe, then the pieces of a reply;
 * each kind keeps its order.
 */
function askedFirst(run: Facets): Facets {
  const rank = ({ type }: Event): number => (ASKED.has(type) ? 0 : type === "message_update" ? 2 : 1);
  // A piece of a reply that comes late finds the agent idle.
  const bare = (event: Event): Event => (event["type"] === "message_update" ? without(event, "ctx") : event) as Event;
  return { ...run, events: [0, 1, 2].flatMap((at) => run.events.filter((event) => rank(event) === at).map(bare)) };
}

const INTERACTIVE = new Set(["input", "resources_discover"]);

/** Without the events that omp has in its interactive mode alone; there the notes of a case are compared. */
function withoutInput(run: Facets): Facets {
  return { ...run, events: run.events.filter(({ type }) => !INTERACTIVE.has(type)) };
}

/** With the messages of a person's commands in the form of pi's, in the conversation and in requests. */
function withCommandsOfPi(run: Facets): Facets {
  const change = ({ excludeFromContext, code, ...fields }: any): any => ({
    ...fields,
    ...(excludeFromContext !== undefined &&
      (excludeFromContext || fields.role === undefined) && { excludeFromContext }),
    ...(fields.role === "pythonExecution" && { role: "bashExecution", command: `python3: ${code}` }),
    ...(typeof fields.content === "string" && {
      content: fields.content.replace(/^Ran Python:\n```python\n(.*)\n```\nOutput:\n/, "Ran `python3: $1`\n"),
    }),
  });
  return {
    ...run,
    events: run.events.map((event) => deep(event, change)),
    requests: run.requests.map((body) => deep(body, change)),
  };
}

const OWN_FIELDS = new Set([
  ...["attribution", "partialArgs", "streamIndex", "duration", "ttft", "completedAt", "contextSnapshot"],
  ...["rawStopReason", "responseId", "usage", "errorId", "errorStatus", "metadata", "delayMs", "retryErrors"],
]);

function withoutOwnFields(run: Facets): Facets {
  const bare = (fields: any): any => ({
    ...without(fields, ...OWN_FIELDS),
    ...(fields.errorMessage !== undefined && { errorMessage: "<words>" }),
  });
  return { ...run, events: run.events.map((event) => deep(event, bare)) };
}

const OWN_TOOLS = new Set([
  ...["eval", "task", "hub", "todo", "web_search", "ast_edit", "debug", "ask"],
  ...["ls", "find"],
]);

function withSharedTools(run: Facets): Facets {
  return {
    ...run,
    events: run.events.map((given) => {
      const { ctx, ...event } = given;
      if (ctx === undefined) return given;
      const tools = ctx.tools.filter((name: string) => !OWN_TOOLS.has(name)).sort();
      return { ...event, ctx: { ...ctx, tools } };
    }),
  };
}

const BUILT_IN = new Set(["bash", "read", "edit", "write", "grep", "glob"]);

function withoutResultWords(run: Facets): Facets {
  const events = run.events.filter(({ type, toolName }) => type !== "tool_execution_update" || !BUILT_IN.has(toolName));
  return { ...run, events: events.map((event) => deep(event, bareResult)) };
}

/** A built-in tool's result with the marks of its text alone; of a failed one not the details either. */
function bareResult(fields: any): any {
  const own = BUILT_IN.has(fields["toolName"]);
  const bare = ({ details, ...rest }: any): any => ({
    ...rest,
    ...(own && Array.isArray(rest.content) && { content: rest.content.map(asMarks) }),
    ...(!own && details !== undefined && !isOfFailure(details) && { details }),
  });
  const { result, ...rest } = fields;
  return { ...bare(rest), ...(result !== undefined && { result: without(bare(result), "isError") }) };
}

function asMarks({ type, text }: any): object {
  return { type, text: marksOf(text) };
}

/** Details that a tool has not given: none, or omp's own of a call that could not be run. */
function isOfFailure(details: any): boolean {
  return details?.isError === true || Object.keys(details ?? {}).length === 0;
}

function conversationOnly(run: Facets): Facets {
  const bare = ({ messages }: any): any => ({
    messages: messages.map(({ role, content, tool_call_id: id }: any) => ({
      // Models that think are told as developers.
      role: role === "developer" ? "system" : role,
      content: role === "tool" ? id : textIn(content).replace(REMINDER, ""),
    })),
  });
  return {
    ...run,
    events: run.events.map((event) =>
      event["payload"] === undefined ? event : { ...event, payload: bare(event["payload"]) },
    ),
    requests: run.requests.map(bare),
  };
}

/** Matches omp's reminder of the date and the folder before a prompt. */
const REMINDER = /^<system-reminder>[\s\S]*?<\/system-reminder>/;

function textIn(content: any): string {
  return Array.isArray(content) ? content.map(({ text }: any) => text).join("") : (content ?? "");
}

function withoutEndMessages(run: Facets): Facets {
  return {
    ...run,
    events: run.events.map((event) => (event["type"] === "agent_end" ? without(event, "messages") : event)),
  };
}

/** The events of each call by themselves, behind all others; results in the order of the calls. */
function callByCall(given: Facets): Facets {
  const run = { ...given, events: given.events.map(inOrder), requests: given.requests.map(inOrder) };
  const callOf = (event: Event): string | undefined => event["toolCallId"] ?? event["message"]?.toolCallId;
  const calls = [...new Set(run.events.flatMap((event) => callOf(event) ?? []))].sort();
  const others = run.events.filter((event) => callOf(event) === undefined);
  return { ...run, events: [...others, ...calls.flatMap((id) => run.events.filter((event) => callOf(event) === id))] };
}

/** Without the level "off" of a model that does not think. */
function withoutOff(run: Facets): Facets {
  const bare = (ctx: any): any => (ctx?.level === "off" ? without(ctx, "level") : ctx);
  return { ...run, events: run.events.map((event) => ({ ...event, ctx: bare(event["ctx"]) }) as Event) };
}

/** A compaction without what each program calls it, says about it and makes it with. */
function withoutCompactionForm(run: Facets): Facets {
  const change = (fields: any): any => {
    if (fields.type === "compaction" || fields.role === "compactionSummary")
      return without(fields, "method", "shortSummary", "tokensAfter", "thinkingLevel", "fromHook", "warning");
    const { branchEntries, settings, fromHook, ...rest } = fields;
    return {
      ...rest,
      ...(branchEntries !== undefined && { branchEntries: branchEntries.map(({ type }: any) => type) }),
    };
  };
  const words = (text: string): string =>
    text.replace(/\*\*(Turn Context \(split turn\)|The turn that goes on below):\*\*/g, "**Turn:**");
  const request = (body: any): any =>
    body.messages.some(({ content }: any) => /<summary>/.test(content))
      ? {
          messages: body.messages.map(({ role, content }: any) => ({
            role,
            content: /<summary>/.test(content) ? "<summary>" : content,
          })),
        }
      : body;
  const { events, requests } = JSON.parse(words(JSON.stringify({ events: run.events, requests: run.requests })));
  return {
    ...run,
    events: events.map((event: Event) => {
      const bare = deep(event, change);
      return bare["payload"] === undefined ? bare : { ...bare, payload: request(bare["payload"]) };
    }),
    // Each program asks for a summary in its own words, and as often as it likes.
    requests: requests.map(request).filter((body: unknown) => !JSON.stringify(body).includes("<conversation>")),
  };
}

/** A value whose lists have the results of calls in the order of the calls. */
function inOrder<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (!Array.isArray(value))
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, inOrder(inner)])) as T;
  const idOf = (item: any): string | undefined =>
    item?.toolCallId ?? (item?.role === "tool" ? item.content : undefined);
  const results = value
    .filter((item) => idOf(item) !== undefined)
    .sort((a, b) => (idOf(a) as string).localeCompare(idOf(b) as string));
  return value.map((item) => (idOf(item) === undefined ? inOrder(item) : results.shift())) as T;
}

/** Without what guards are asked about calls that have no result, and the content of results that hooks have changed. */
function withoutRefusedCalls(run: Facets): Facets {
  const ran = new Set(run.events.flatMap(({ type, toolCallId }) => (type === "tool_result" ? [toolCallId] : [])));
  const events = run.events.filter(({ type, toolCallId }) => type !== "tool_call" || ran.has(toolCallId));
  return withEvents({ ...run, events }, ["tool_result"], (event) => without(event, "content"));
}

/** Without the ends of the blocks of a reply. */
function withoutEnds(run: Facets): Facets {
  return { ...run, events: run.events.filter((event) => !/_end$/.test(event["assistantMessageEvent"]?.type ?? "")) };
}

function withoutTurnNumbers(run: Facets): Facets {
  return withEvents(run, ["turn_start", "turn_end"], (event) => without(event, "turnIndex"));
}

/** Two runs, of which a hook has begun the second, as one. */
function asOneRun(run: Facets): Facets {
  const ends = run.events.filter(({ type }) => type === "agent_end");
  const whole = { ...run, events: run.events.filter((event) => event !== ends[0]) };
  return without2nd(without2nd(whole, "before_agent_start"), "agent_start");
}

/** Turns the text of a `session_stop` hook into a person's message. */
function asUser(run: Facets): Facets {
  const change = (fields: any): any =>
    fields.customType === "session-stop-continuation"
      ? { role: "user", content: [{ type: "text", text: fields.content }], timestamp: fields.timestamp }
      : fields;
  return { ...run, events: run.events.map((event) => deep(event, change)) };
}

function without2nd(run: Facets, type: string): Facets {
  const second = run.events.filter((event) => event["type"] === type)[1];
  return { ...run, events: run.events.filter((event) => event !== second) };
}

/** Without whether something waits, and without the number of the last turn. */
function withoutQueue(run: Facets): Facets {
  return {
    ...run,
    events: run.events.map(
      (event) => ({ ...without(event, "turn_id"), ctx: without(event["ctx"] ?? {}, "pending") }) as Event,
    ),
  };
}

function withoutShownInput(run: Facets): Facets {
  return withEvents(run, ["tool_call"], (event) => without(event, "input"));
}

/** Without the arguments of calls as the conversation and the events of their execution have them. */
function withoutArguments(run: Facets): Facets {
  const bare = (fields: any): any => (fields.type === "tool_call" ? fields : without(fields, "arguments", "args"));
  return { ...run, events: run.events.map((event) => deep(event, bare)) };
}

const OF_REQUESTS = new Set(["context", "before_provider_request", "after_provider_response", "message_update"]);

function withoutRequests(run: Facets): Facets {
  return { ...run, events: run.events.filter(({ type }) => !OF_REQUESTS.has(type)) };
}

/** Without the attempts that have failed, from the failed message to the turn that begins anew. */
function withoutRetries(run: Facets): Facets {
  const at = (type: string, from = 0): number =>
    run.events.findIndex((event, i) => i >= from && event["type"] === type);
  const failed = run.events.findIndex(({ type, message }) => type === "message_start" && message?.role === "assistant");
  const again = at("turn_start", at("auto_retry_start"));
  const events = run.events.filter(({ type }, i) => (i < failed || i > again) && type !== "auto_retry_end");
  return { ...run, events };
}

/** Moves reports of retries to the end. */
function withRetriesLast(run: Facets): Facets {
  const isOfRetry = ({ type }: Event): boolean => /^auto_retry_/.test(type);
  const told = run.events.filter(isOfRetry).map((event) => ({ ...event, ctx: without(event["ctx"], "idle") }) as Event);
  return { ...run, events: [...run.events.filter((event) => !isOfRetry(event)), ...told] };
}

/** Without a reply that was aborted in later requests, and without whether the agent is idle at the end of its run. */
function withoutAborted(run: Facets): Facets {
  const bare = ({ messages }: any): any => ({ messages: messages.filter(({ content }: any) => content !== "never") });
  const change = (event: Event): Event => {
    if (event["payload"] !== undefined) return { ...event, payload: bare(event["payload"]) };
    return event["type"] === "agent_end" ? ({ ...event, ctx: without(event["ctx"], "idle") } as Event) : event;
  };
  return { ...run, events: run.events.map(change), requests: run.requests.map(bare) };
}

function withoutValidationWords(run: Facets): Facets {
  const text = JSON.stringify(run);
  return JSON.parse(
    text.replace(/Validation failed for tool \\"(\w+)\\"(?:\\\\.|\\.|[^"\\])*/g, "Validation failed for $1"),
  );
}

/** With the words of a hook's refusals as HookAPI has them. */
function withoutGuardWords(run: Facets): Facets {
  const text = JSON.stringify(run)
    .replaceAll("Tool execution was blocked by an extension", "Tool execution was blocked by a hook")
    .replace(/Extension <folder>\/hooks\/pre\/given\.ts failed: /g, "")
    .replace(/Extension <top>\/project\/\.omp\/hooks\/pre\/given\.ts failed: /g, "");
  return JSON.parse(text);
}

/** A run that was aborted at its first call, without what the model would have been asked and told after it. */
function withoutTail(run: Facets): Facets {
  const kept = new Set(["agent_end", "session_shutdown"]);
  const end = run.events.findLastIndex(({ type, toolCallId }) => type === "tool_execution_end" && toolCallId === "t1");
  const head = run.events
    .slice(0, end + 1)
    .filter(({ type }) => !["context", "before_provider_request"].includes(type));
  return {
    ...run,
    events: [...head, ...run.events.slice(end + 1).filter(({ type }) => kept.has(type))].map(
      (event) => without(event, "messages", "result", "ctx") as Event,
    ),
    requests: run.requests.slice(0, 1),
  };
}

function deep<T>(value: T, change: (fields: any) => any): T {
  if (Array.isArray(value)) return value.map((item) => deep(item, change)) as T;
  if (typeof value !== "object" || value === null) return value;
  return change(Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, deep(inner, change)]))) as T;
}
