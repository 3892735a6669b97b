import type { Observed } from "./observe.ts";

type Fields = Readonly<Record<string, any>>;

/** An entry of the session with its parent's place in the list in place of ids; -1 is none. */
export interface EntryFacet {
  readonly type: string;
  readonly parent: number;
  readonly fields: Fields;
}

/** The parts by which two runs are compared; ids, times, folders and counts of tokens are removed. */
export interface Facets {
  readonly code: number | null;
  /** Lines of stdout; those that are JSON are read. Of the RPC mode the events, in order. */
  readonly out: readonly any[];
  /** The responses of the RPC mode. Clients match responses by id, so their position among events is not compared. */
  readonly responses: readonly any[];
  readonly events: readonly Fields[];
  readonly notes: readonly any[];
  readonly requests: readonly Fields[];
  readonly entries: readonly EntryFacet[];
  readonly results: Fields;
}

const TIMES = new Set(["timestamp", "durationMs"]);
const COUNTS = new Set(["usage", "tokensBefore", "estimatedTokensAfter", "tokens", "percent"]);
const IDS = new Set(
  "id parentId targetId entryId fromId firstKeptEntryId newLeafId oldLeafId commonAncestorId messageEntryId toolResultEntryIds".split(
    " ",
  ),
);

const COLOUR = /\u001b\[[\d;]*m/g;

/** Marks in a system prompt that a case has put there; the prompt's own words are each program's. */
const MARK = /\[\[[^\]]*\]\]/g;

/** Takes out of a run what differs from run to run. */
export function facetsOf(run: Observed): Facets {
  const scrub = scrubber(run.top);
  const lines = run.out.split("\n").filter((line) => line !== "");
  const out = lines.flatMap((line) => lineFacet(scrub(read(line))));
  return {
    code: run.code,
    out: out.filter((line) => line?.type !== "response"),
    responses: out.filter((line) => line?.type === "response"),
    events: run.events.flatMap(({ event, ...ctx }) => eventFacet(scrub(event)).map((facet) => ({ ...facet, ctx }))),
    notes: run.notes.map((note) => scrub(note)),
    requests: run.requests.map((body) => requestFacet(scrub(body))),
    entries: entriesOf(run.entries, scrub),
    results: scrub(run.results),
  };
}

/** A system prompt as its marks; where there are none, that there was a prompt. */
export function marksOf(prompt: unknown): unknown {
  if (typeof prompt !== "string") return prompt;
  return prompt === "" ? "" : `<prompt>${prompt.match(MARK)?.join("") ?? ""}`;
}

function scrubber(top: string): (value: any, key?: string) => any {
  const scrub = (value: any, key = ""): any => {
    if (TIMES.has(key)) return "<time>";
    if (COUNTS.has(key)) return "<count>";
    if (key === "systemPrompt" || key === "systemPromptOptions")
      // oh-my-pi's prompt is a list of blocks.
      return typeof value === "string" || Array.isArray(value) ? marksOf([value].flat().join("\n")) : "<options>";
    if (typeof value === "string") return IDS.has(key) && isEntryId(value) ? "<id>" : text(value);
    if (Array.isArray(value)) return value.map((item) => scrub(item, key));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, scrub(inner, name)]));
  };
  const text = (value: string): string =>
    value
      .replaceAll(top, "<top>")
      // Each program has a theme of its own.
      .replace(COLOUR, "")
      .replace(/\b(entry) [0-9a-f]{8}\b/g, "$1 <id>")
      .replace(/\b[\d,]+ (tokens|chars)\b/g, "<count> $1")
      .replace(/127\.0\.0\.1:\d+/g, "<server>")
      .replace(/<top>\/project\/\.(pi|hookline)\//g, "<folder>/")
      .replace(/<top>\/home\/\.((pi|omp)\/agent|hookline)\/sessions\/[^/]*/g, "<sessions>")
      .replace(/\d{4}-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d[.-]\d{3}Z/g, "<time>")
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uuid>");
  return scrub;
}

function isEntryId(value: string): boolean {
  return /^[0-9a-f]{8}$/.test(value);
}

function lineFacet(line: any): any[] {
  return typeof line?.type === "string" ? eventFacet(line) : [line];
}

/** Returns the parts of an event that do not depend on the moment at which it was recorded. */
function eventFacet(event: Fields): Fields[] {
  const { type, message, assistantMessageEvent, payload, headers, messages, ...rest } = event;
  // A command's output comes in as many pieces as the machine likes.
  if (type === "tool_execution_update" && rest["toolName"] === "bash") return [];
  // Both are the live message, which is further along than the event when a handler is slow.
  const isLive = type === "message_update" || (type === "message_start" && message?.role === "assistant");
  return [
    {
      type,
      ...rest,
      ...(message !== undefined && { message: isLive ? { role: message?.role } : message }),
      ...(assistantMessageEvent !== undefined && { assistantMessageEvent: without(assistantMessageEvent, "partial") }),
      ...(payload !== undefined && { payload: requestFacet(payload) }),
      ...(headers !== undefined && { headers: without(headers, "date") }),
      ...(messages !== undefined && { messages: messages.map(systemAsMarks) }),
    },
  ];
}

/** A record without some of its fields. */
export function without(fields: Fields, ...names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

function systemAsMarks(message: Fields): Fields {
  const { role } = message;
  // Models that think are told as developers.
  return role === "system" || role === "developer" ? { role, content: marksOf(JSON.stringify(message)) } : message;
}

/** A request's own words and schemas are the program's; who says what, and which tools there are, is compared. */
function requestFacet(body: Fields): Fields {
  const { messages = [], tools = [], ...rest } = body;
  return {
    ...rest,
    messages: messages.map(systemAsMarks),
    tools: tools.map((tool: any) => ({
      name: tool.function.name,
      properties: Object.keys(tool.function.parameters?.properties ?? {}),
    })),
  };
}

function entriesOf(entries: readonly any[], scrub: (value: any) => any): EntryFacet[] {
  const places = new Map(entries.map((entry, at) => [entry.id, at]));
  return entries.map(({ id: _, parentId, timestamp: __, type, ...fields }) => ({
    type,
    parent: parentId == null ? -1 : (places.get(parentId) ?? -1),
    fields: scrub(fields),
  }));
}

/** Takes entries out of a session; what hung on one hangs on its parent. */
export function withoutEntries(entries: readonly EntryFacet[], drop: (entry: EntryFacet) => boolean): EntryFacet[] {
  const kept = entries.map((entry) => !drop(entry));
  const place = (at: number): number => {
    if (at < 0) return -1;
    return kept[at] ? kept.slice(0, at).filter(Boolean).length : place(entries[at]?.parent ?? -1);
  };
  return entries.filter((_, at) => kept[at]).map((entry) => ({ ...entry, parent: place(entry.parent) }));
}

function read(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}
