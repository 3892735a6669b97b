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
      events: run.events
        .filter((event) => event["message"]?.role !== "system")
        .map((event) => (event["type"] === "context_with_system" ? event : unsystem(event)))
        .map((event) => ({ ...event, ctx: { ...event["ctx"], branch: event["ctx"].branch.filter(isNotSystem) } })),
      entries: withoutEntries(run.entries, ({ fields }) => fields["message"]?.role === "system"),
      out: run.out.filter((line) => line?.message?.role !== "system").map(unsystem),
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
    reason:
      "The end of a call says with which arguments, and the end of a prompt whether it was aborted; pi tells the latter " +
      "since 1.1.",
    hookline: (run) =>
      withEvents(
        withEvents(run, ["tool_execution_end"], (event) => without(event, "args")),
        ["agent_settled"],
        (event) => without(event, "aborted"),
      ),
  },
  boundaryPreview: {
    everywhere: true,
    reason:
      "The conversation is not copied into the end of every turn: ctx.sessionManager has it, and its branch ends with " +
      "the entries whose ids pi gives.",
    pi: (run) =>
      withEvents(run, BOUNDARIES, (event) => ({
        ...without(event, "messageEntryId", "toolResultEntryIds"),
        context: { canContinue: event["context"].canContinue },
      })),
    hookline: (run) =>
      withEvents(run, BOUNDARIES, (event) => ({ ...event, context: { canContinue: event["context"].canContinue } })),
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
};

const BOUNDARIES = ["turn_end", "agent_before_settle"];
const SEARCH = new Set(["grep", "find", "ls"]);

function withoutSearch(request: Facets["requests"][number]): Facets["requests"][number] {
  return { ...request, tools: request["tools"]?.filter(({ name }: { name: string }) => !SEARCH.has(name)) };
}

function withEvents(run: Facets, types: readonly string[], change: (event: Event) => Event): Facets {
  return { ...run, events: run.events.map((event) => (types.includes(event["type"]) ? change(event) : event)) };
}

function unsystem(line: any): any {
  return Array.isArray(line?.messages)
    ? { ...line, messages: line.messages.filter(({ role }: { role: string }) => isNotSystem(role)) }
    : line;
}

function isNotSystem(role: string): boolean {
  return role !== "system";
}
