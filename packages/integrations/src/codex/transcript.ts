import { type Fields, isFields } from "@hookline/ground";
import { readJson } from "@hookline/runtime/dialect";
import { readCall } from "@hookline/runtime/engine";
import {
  Calls,
  contentOf,
  firstObjects,
  listIn,
  type Moment,
  promptOf,
  type SourceCall,
  type SourceReader,
  type SourceStream,
  sourceLines,
  textIn,
  timeIn,
  unknownTypes,
  unreadable,
} from "@hookline/runtime/past";
import { codexTools } from "./tools.ts";

/**
 * Reads Codex's rollouts. Since 2025 each line is an item in an envelope `{timestamp, type, payload}`, before that a
 * bare item. Calls have their exact arguments; prompts and results are as Codex stored them.
 */
export const codexSource: SourceReader = {
  recognise(first) {
    const lines = firstObjects(first);
    const meta = lines.find(({ type, payload }) => type === "session_meta" && isFields(payload))?.["payload"];
    const bare = lines[0];
    const isBare =
      bare?.["type"] === undefined && "instructions" in (bare ?? {}) && typeof bare?.["timestamp"] === "string";
    const head = isFields(meta) ? meta : isBare ? bare : undefined;
    if (head === undefined) return undefined;
    const cwd = textIn(head["cwd"]);
    return { kind: "codex", session: textIn(head["id"]) ?? "", ...(cwd !== undefined && { cwd }), decided: false };
  },
  moments: (stream) => momentsOf(stream),
};

/** Types of items that are neither calls nor results, and yield no moment. */
const SILENT: ReadonlySet<string> = new Set([
  "message",
  "reasoning",
  "web_search_call",
  "ghost_snapshot",
  "compaction",
]);
const ENVELOPES: ReadonlySet<string> = new Set([
  "session_meta",
  "turn_context",
  "compacted",
  "world_state",
  "token_usage_record",
  "event_msg",
]);

function* momentsOf(stream: SourceStream): Generator<Moment> {
  const reading = new CodexReading(stream);
  for (const { line, value, isPause } of sourceLines(stream)) {
    if (isPause) yield* reading.end();
    if (value === undefined) yield unreadable(line, isPause);
    else yield* reading.take(line, value);
  }
  yield* reading.end();
}

/** Reads the items of one rollout, one after the other. */
class CodexReading {
  readonly #unknown: (type: unknown) => void;
  readonly #calls = new Calls();
  #scene: Moment["scene"] = {};
  /** The last prompt and the type of its line: some versions write each prompt in two lines of different types. */
  #told: { readonly by: unknown; readonly text: string } | undefined;
  #isBare = false;

  constructor(stream: SourceStream) {
    this.#unknown = unknownTypes(stream);
  }

  *take(line: number, value: Fields): Generator<Moment> {
    const { type, payload } = value;
    const t = timeIn(value["timestamp"]);
    if (line === 1 && type === undefined) {
      this.#isBare = true;
      return;
    }
    if (type === "session_meta" || type === "turn_context") this.#look(payload);
    if (type === "event_msg" && isFields(payload)) yield* this.#prompt(line, t, typedIn(payload), payload["type"]);
    else if (type === "response_item" && isFields(payload)) yield* this.#item(line, t, payload);
    else if (this.#isBare) yield* this.#bare(line, t, value);
    else if (!ENVELOPES.has(type as string)) this.#unknown(type);
  }

  *end(): Generator<Moment> {
    yield* this.#calls.end();
  }

  #look(payload: unknown): void {
    if (!isFields(payload)) return;
    const [cwd, model] = [textIn(payload["cwd"]), textIn(payload["model"])];
    this.#scene = { cwd: cwd ?? this.#scene.cwd, model: model ?? this.#scene.model };
  }

  /** Reads a line of the oldest format, in which prompts appear only as messages of the user. */
  *#bare(line: number, t: number, item: Fields): Generator<Moment> {
    if (item["type"] === undefined) return;
    if (item["type"] === "message" && item["role"] === "user" && !isMade(item["content"]))
      yield* this.#prompt(line, t, item["content"], "message");
    else yield* this.#item(line, t, item);
  }

  *#prompt(line: number, t: number, content: unknown, by: unknown): Generator<Moment> {
    if (content === undefined) return;
    const prompt = promptOf({ line, t, scene: this.#scene }, content);
    if (prompt === undefined) return;
    const text = String(prompt.payload?.["text"]);
    const isSecond = this.#told !== undefined && this.#told.by !== by && this.#told.text === text;
    this.#told = isSecond ? undefined : { by, text };
    if (isSecond) return;
    yield* this.#calls.end();
    yield prompt;
  }

  *#item(line: number, t: number, item: Fields): Generator<Moment> {
    const type = textIn(item["type"]) ?? "";
    const about = { line, t, scene: this.#scene, id: textIn(item["call_id"]) ?? textIn(item["id"]) ?? "" };
    if (type.endsWith("_call_output")) {
      const content = outputOf(item["output"]);
      yield* this.#calls.settle([{ ...about, content, isError: isFailure(content), details: undefined }]);
    } else if (type === "function_call" || type === "custom_tool_call" || type === "local_shell_call") {
      yield* this.#calls.add({ ...about, ...callIn(item) });
    } else if (!SILENT.has(type)) this.#unknown(type);
  }
}

/** Returns the text that the user typed, if the event contains one. */
function typedIn({ type, message, item }: Fields): unknown {
  if (type === "user_message") return message;
  return type === "item_completed" && isFields(item) && item["type"] === "UserMessage" ? item["content"] : undefined;
}

/** Whether Codex itself wrote a user message. Its own texts begin with a tag, such as `<environment_context>`. */
function isMade(content: unknown): boolean {
  const [first] = contentOf(content);
  return first !== undefined && "text" in first && /^<[a-z_]+>/.test(first.text);
}

function callIn(item: Fields): Pick<SourceCall, "tool" | "args" | "parts"> {
  if (item["type"] === "local_shell_call") return { tool: "bash", args: shellArgs(item["action"]) };
  const name = textIn(item["name"]) ?? "";
  const read = readJson(textIn(item["arguments"]) ?? "");
  const isText = item["type"] === "custom_tool_call";
  const given = isText ? { input: item["input"] } : read.ok && isFields(read.value) ? read.value : undefined;
  const { told, views, parts: partsOf } = readCall(codexTools, name, given);
  const { tool } = told;
  if (given === undefined) return { tool, args: undefined };
  const args =
    tool === "bash" && typeof told.args["command"] !== "string" ? shellArgs(given) : isText ? given : told.args;
  const { calls } = partsOf(args ?? {});
  const own = views.length === 0 ? [] : [{ tool, args: args ?? {} }];
  return { tool, args, ...(calls.length > 0 && { parts: [...own, ...calls] }) };
}

/** Turns a shell's list of words into one command line; `["bash", "-lc", SCRIPT]` becomes SCRIPT. */
function shellArgs(given: unknown): Fields | undefined {
  if (!isFields(given)) return undefined;
  const { command, ...rest } = given;
  const words = listIn(command).filter((word) => typeof word === "string");
  if (words.length === 0) return typeof command === "string" ? given : undefined;
  const [shell = "", flag = "", script] = words;
  const isShell = /(?:^|\/)(?:ba|z|da)?sh$/.test(shell) && /^-l?c$/.test(flag) && script !== undefined;
  return { ...rest, command: isShell ? script : words.join(" ") };
}

function outputOf(output: unknown): ReturnType<typeof contentOf> {
  const read = isFields(output) ? (output["content"] ?? output["output"]) : output;
  // Before 2026 the output of a shell was JSON with the text in it.
  const inner = typeof read === "string" && read.startsWith('{"output":') ? readJson(read) : undefined;
  const text = inner?.ok === true && isFields(inner.value) ? textIn(inner.value["output"]) : undefined;
  return contentOf(text ?? read);
}

/**
 * Detects a failure in the result's text, since Codex does not flag it: a shell's exit code, or a call that was not
 * made.
 */
function isFailure(content: readonly { readonly type: string; readonly text?: string }[]): boolean {
  const text = content[0]?.text ?? "";
  return (
    /^unsupported (?:custom tool )?call: /.test(text) || /^Process exited with code [1-9]/m.test(text.slice(0, 400))
  );
}
