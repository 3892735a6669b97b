import { guess, HooklineError } from "@hookline/ground";
import { catalog, type EventName, type Payload } from "../catalog/catalog.ts";
import type { Message } from "../catalog/message.ts";
import type { CatalogRow } from "../catalog/row.ts";
import type { ToolArguments } from "../guard/guard.ts";
import type { LaneRow, Scene } from "../hook/lane.ts";
import { type Schema, sampleFields } from "./sample-schema.ts";

/** Options of a sample; every field has a default. */
export interface SampleOptions {
  /** The tool, for events that have one. Default `bash`. */
  readonly tool?: string | undefined;
  /** The tool's arguments, with hookline's names. Default: something harmless for the built-in tools. */
  readonly args?: Readonly<Record<string, unknown>> | undefined;
  /** The model id in the sample. Default `sample-model`. */
  readonly model?: string | undefined;
}

/** Returns a payload of one of hookline's own events that fits its schema, with plausible values. */
export function samplePayload<E extends EventName>(event: E, options: SampleOptions = {}): Payload<E> {
  const row = catalog.get(event);
  if (row === undefined) throw new HooklineError("UNKNOWN_EVENT", { event, guess: guess(event, catalog.keys()) });
  return payloadOf(row, options) as Payload<E>;
}

/** Returns a sample payload of a catalog row's event. */
export function payloadOf(row: CatalogRow, options: SampleOptions = {}): object {
  return sampleFields(row.payload() as unknown as Schema, values(options), {});
}

/**
 * Returns an event in a dialect's own form, as hookline would show it to the dialect's hooks. Throws if the dialect
 * never has this event for any sample payload of the catalog.
 */
export function sampleEvent(row: LaneRow, scene: Scene, options: SampleOptions = {}): object {
  const schema = catalog.get(row.of)?.payload() as unknown as Schema;
  for (const choice of choicesOf(schema)) {
    for (const { tool, args } of options.tool === undefined ? CALLS : [options]) {
      const payload = sampleFields(schema, values({ ...options, tool, args: options.args ?? args }), choice);
      if (row.when !== undefined && !row.when(payload as never, scene)) continue;
      return row.view.get(payload as never, scene) as object;
    }
  }
  throw new Error(`There is no sample of ${row.name}; give the event with --payload.`);
}

/**
 * Tool calls to try as samples, because a row may only be for one kind: a command, a change, a read inside or outside
 * the folder.
 */
const CALLS: readonly Pick<SampleOptions, "tool" | "args">[] = [
  { tool: "bash" },
  { tool: "write" },
  { tool: "read" },
  { tool: "read", args: { path: "/etc/hosts" } },
];

const ARGUMENTS: ToolArguments = {
  bash: { command: "ls" },
  read: { path: "README.md" },
  write: { path: "notes.txt", content: "Hello\n" },
  edit: { path: "notes.txt", edits: [{ oldText: "Hello", newText: "Hi" }] },
  grep: { pattern: "hello" },
  find: { pattern: "*.md" },
  ls: { path: "." },
};

/** Returns plausible values by field name; a schema only has their types. */
function values({ tool = "bash", args, model = "sample-model" }: SampleOptions): Readonly<Record<string, unknown>> {
  return {
    tool,
    args: args ?? (Object.hasOwn(ARGUMENTS, tool) ? ARGUMENTS[tool as keyof ToolArguments] : {}),
    toolCallId: "call_1",
    text: "Hello",
    prompt: "Hello",
    finalPrompt: "Hello",
    reply: "Hello! What can I do?",
    systemPrompt: "You are a helpful agent.",
    base: "You are a helpful agent.",
    content: [{ type: "text", text: "README.md" }],
    message: MESSAGES[1],
    messages: MESSAGES,
    model: { id: model, provider: "sample" },
    previousModel: { id: "another-model", provider: "sample" },
    request: {
      model: { id: model, provider: "sample" },
      systemPrompt: "You are a helpful agent.",
      messages: MESSAGES,
      tools: [{ name: tool, description: "A tool", parameters: { type: "object", properties: {} }, type: "builtin" }],
    },
    tools: [{ name: tool, description: "A tool", parameters: { type: "object", properties: {} }, type: "builtin" }],
    body: { model, messages: [{ role: "user", content: "Hello" }] },
    headers: { "content-type": "application/json" },
    command: "ls",
    code: "print(1)",
    cwd: "/project",
    status: 200,
    summary: "The person said hello.",
    title: "Delete it?",
    context: "default",
    from: "default",
    to: "other",
    entryId: "entry-1",
    rules: [{ name: "sample-rule", path: "/project/.omp/rules/sample.md", content: "Do not." }],
    todos: [{ content: "Look at the log", status: "pending" }],
    preparation: { messagesToSummarize: MESSAGES, entriesToSummarize: [], tokensBefore: 100, targetId: "entry-1" },
    branchEntries: [],
    event: { type: "text_delta", contentIndex: 0, delta: "Hel", partial: MESSAGES[1] },
    result: "README.md",
    output: "README.md",
    finalOutput: "README.md",
    level: "high",
    previousLevel: "off",
  };
}

const NO_USAGE = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

const MESSAGES: readonly Message[] = [
  { role: "user", content: "Hello", timestamp: 0 },
  {
    role: "assistant",
    content: [{ type: "text", text: "Hello! What can I do?" }],
    api: "sample",
    provider: "sample",
    model: "sample-model",
    usage: NO_USAGE,
    stopReason: "stop",
    timestamp: 0,
  },
];

/** Values by name for fields that a plain sample leaves out; some dialects' events need them. */
const RARE: Readonly<Record<string, readonly unknown[]>> = {
  toolResults: [
    [
      {
        role: "toolResult",
        toolCallId: "call_1",
        toolName: "bash",
        content: [{ type: "text", text: "README.md" }],
        isError: false,
        timestamp: 0,
      },
    ],
  ],
  error: [{ kind: "server_error", message: "500" }],
};

/**
 * Yields fields to add to a plain sample, the simplest choice first: none, one field with one of its possible values,
 * then two.
 */
function* choicesOf(schema: Schema): Generator<Readonly<Record<string, unknown>>> {
  yield {};
  const open = Object.entries(schema.entries ?? {}).flatMap(([name, field]) =>
    (RARE[name] ?? optionsOf(field)).map((value) => [name, value] as const),
  );
  for (const [name, value] of open) yield { [name]: value };
  for (const [first, one] of open) {
    for (const [second, other] of open) if (first !== second) yield { [first]: one, [second]: other };
  }
}

function optionsOf(schema: Schema): readonly unknown[] {
  if (schema.wrapped !== undefined) return optionsOf(schema.wrapped);
  if (schema.type === "boolean") return [false, true];
  return schema.type === "picklist" ? (schema.options ?? []) : schema.type === "string" ? ["sample"] : [];
}
