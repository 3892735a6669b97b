import { plainJson } from "@hookline/ground/system";
import type { CatalogRow } from "@hookline/runtime/engine";
import { payloadOf } from "../packages/runtime/src/testing/sample.ts";

/**
 * A sentence for each field of events, by its name. `name:in` is for a field that hooks see, `name:out` for one of
 * their answer.
 */
const FIELDS: Readonly<Record<string, string>> = {
  "reason:in": "Why it happens.",
  "reason:out": "What the model or the person is told.",
  previousSessionFile: "The file of the session before it, if there was one.",
  additionalContext: "A text that the model sees and the person does not.",
  title: "The session's new name.",
  firstMessage: "A prompt that is sent first.",
  halt: "Ends the run; its reason is for the person alone.",
  targetSessionFile: "The file of the session that comes next.",
  cancel: "True keeps it from happening.",
  entryId: "The entry of the session that it is about.",
  position: "Whether the fork begins before or at the entry.",
  skipConversationRestore: "True leaves the conversation as it is.",
  preparation: "What hookline would use to do it.",
  signal: "Aborted when the person ends the wait.",
  "summary:in": "The text that replaces earlier messages.",
  "summary:out": "A summary in the place of hookline's own.",
  customInstructions: "What the person wants of the summary.",
  replaceInstructions: "True leaves out hookline's own instructions.",
  label: "A label for the point that is left.",
  newLeafId: "The entry at which the session is now.",
  oldLeafId: "The entry at which it was.",
  summaryEntry: "The entry with the summary of what was left.",
  fromExtension: "Whether a hook made the summary.",
  toolCalls: "The tool calls that the reply asks for.",
  finishReason: "Why the model has ended the reply.",
  "text:in": "The text.",
  "text:out": "The text in its place.",
  images: "Pictures that come with the text.",
  source: "Where it comes from.",
  streaming: "Whether a reply is running.",
  handled: "True ends the event: nothing is sent.",
  "stop:out": "True stops what the event is about; where the model wants to stop, it sends the model on.",
  feedback: "What the model is told when it is sent back.",
  command: "The shell command.",
  excludeFromContext: "Whether the model is not to see the output.",
  cwd: "The folder.",
  operations: "How the command is run in place of hookline's own way.",
  "result:in": "What the tool gave.",
  "result:out": "A result in the place of the command's.",
  skillPaths: "Further folders of skills.",
  promptPaths: "Further folders of prompt templates.",
  themePaths: "Further folders of themes.",
  "prompt:in": "The prompt, expanded.",
  "prompt:out": "A prompt in its place.",
  "systemPrompt:in": "The system prompt.",
  "systemPrompt:out": "The system prompt in its place.",
  promptParts: "The parts of which the system prompt is made.",
  "messages:in": "The messages, oldest first.",
  "messages:out": "Messages in their place, or added to them.",
  activeTools: "The tools that the model is offered.",
  aborted: "Whether a person ended it.",
  willRetry: "Whether it is tried again.",
  error: "What went wrong.",
  reply: "The model's last text.",
  retryCount: "How often hooks have sent the model back for this prompt.",
  stopHookActive: "Whether a hook has sent it back before.",
  cap: "How often hooks may send it back.",
  turnIndex: "The number of the turn in this run, from 0.",
  timestamp: "When, in ms since 1970.",
  "message:in": "The message.",
  "message:out": "The message in its place.",
  toolResults: "The results of the turn's calls.",
  messageEntryId: "The session's entry of the message.",
  toolResultEntryIds: "The session's entries of the results.",
  "entries:in": "The session's new entries.",
  "entries:out": "Entries that are added.",
  "continue:in": "Whether another request follows.",
  "continue:out": "False makes no further request.",
  context: "What the next request would show the model.",
  event: "The part of the reply that has arrived.",
  "model:in": "The model.",
  "model:out": "The model in its place.",
  inject: "Messages that are added to this request alone.",
  "body:in": "The request as it would be sent.",
  "body:out": "The request in its place.",
  status: "The status of the answer.",
  headers: "The headers of the answer.",
  previousModel: "The model before it.",
  toolCallId: "The id of the call, the same in all of its events.",
  parentToolCallId: "The call of the tool that made this one.",
  tool: "The tool's name, in hookline's words.",
  aliases: "Other names by which hooks know the tool.",
  "args:in": "The arguments.",
  "args:out": "Arguments in their place; guards that judged the old ones are asked again.",
  decision: "`deny` refuses, `ask` asks the person, `allow` lets pass what nobody else refuses.",
  rest: "What happens to the calls of the reply that come after it.",
  terminate: "True ends the run after the call.",
  remark: "A text for the model beside the result.",
  partial: "What the tool has printed so far.",
  "content:in": "The result: texts and pictures.",
  "content:out": "A result in its place.",
  "details:in": "What the tool gives to the screen and not to the model.",
  "details:out": "Details in their place.",
  "isError:in": "Whether the call failed.",
  "isError:out": "Whether it counts as failed.",
  blocked: "Whether a hook refused the call, so that the tool did not run.",
  durationMs: "How long it took, in ms.",
  kind: "Which kind of compaction it is.",
  trigger: "What started it: a person, the limit, or an overflow.",
  branchEntries: "The session's entries up to here.",
  messageCount: "How many messages there are.",
  nonSystemCount: "How many of them are not the system's.",
  skip: "True leaves the messages as they are.",
  compaction: "A compaction in the place of hookline's own.",
  instructions: "What the summary must keep.",
  compactionEntry: "The session's entry of the compaction.",
  messagesArchived: "How many messages it replaced.",
  askedBy: "The hook that asks.",
  type: "What kind of sub-agent it is.",
  description: "What it is for, in a few words.",
  tools: "The tools that are offered.",
  depth: "How many agents are above it.",
  note: "A text for the model beside the answer.",
  approved: "Whether the call may run.",
  errorMessage: "What went wrong.",
  sessionId: "The session's id.",
  path: "The file.",
  from: "Where it comes from.",
  to: "Where it goes.",
  transient: "Whether the context is gone after its prompt.",
  tier: "Whether the person or the project has it.",
  globs: "The files that it is about.",
  servers: "The MCP servers.",
  server: "The MCP server.",
  mode: "Whether a form is filled in or an address is opened.",
  schema: "The fields that are asked for.",
  action: "What was answered.",
  method: "The name of the notification.",
  params: "What it says.",
  contextTokens: "How many tokens the context has.",
};

/** The parts of a property in a JSON Schema that are shown. */
interface Property {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Property[];
}

/** The parts of an object's JSON Schema that are shown. */
export interface ObjectSchema {
  readonly properties?: Readonly<Record<string, Property>>;
  readonly required?: readonly string[];
}

/** Returns the sentence for a field; `undefined` if it has none. */
export function sentenceOf(name: string, part: "in" | "out"): string | undefined {
  return FIELDS[`${name}:${part}`] ?? FIELDS[name];
}

/** Returns the rows of a table of fields: name, type, sentence. */
export function fieldTable(schema: ObjectSchema | undefined, part: "in" | "out"): string[] {
  const fields = Object.entries(schema?.properties ?? {});
  if (fields.length === 0) return [];
  const rows = fields.map(([name, property]) => {
    const mark = schema?.required?.includes(name) ? "" : "?";
    return `| \`${name}\`${mark} | ${kindOf(property).replaceAll("|", "\\|")} | ${sentenceOf(name, part) ?? ""} |`;
  });
  const title = part === "in" ? "What a hook is shown" : "What it may answer";
  return [`| ${title} | type | |`, "|---|---|---|", ...rows, ""];
}

function kindOf({ type, enum: words, const: one, anyOf }: Property): string {
  if (words !== undefined) return words.map((word) => `\`${JSON.stringify(word)}\``).join(" or ");
  if (one !== undefined) return `\`${JSON.stringify(one)}\``;
  if (anyOf !== undefined) return [...new Set(anyOf.map(kindOf))].join(" or ");
  return type ?? "anything";
}

/** Returns a sample payload of an event, as JSON with hookline's own field names. */
export function sampleText(row: CatalogRow): string {
  return JSON.stringify(plainJson(payloadOf(row)), null, 2);
}
