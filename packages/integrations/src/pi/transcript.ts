import { type Fields, isFields } from "@hookline/ground";
import type { Message } from "@hookline/runtime";
import { sameCalls } from "@hookline/runtime/engine";
import {
  type Branch,
  type BranchEntry,
  Calls,
  contentOf,
  EntryIndex,
  firstObjects,
  listIn,
  type Moment,
  promptOf,
  type SourceCall,
  type SourceKind,
  type SourceLine,
  type SourceReader,
  type SourceResult,
  type SourceStream,
  sourceLines,
  textIn,
  timeIn,
  unreadable,
} from "@hookline/runtime/past";
import { ompCalls } from "../omp/hooks/calls.ts";

/**
 * Reads session files of hookline, pi and omp, which share a format. Calls have their exact arguments. Prompts, results
 * and the conversation before each reply are as they were stored. Source: spec/pi.md 6, spec/omp.md.
 */
export const sessionSource: SourceReader = {
  recognise(first) {
    const lines = firstObjects(first);
    const header = lines.find(({ type, id }) => type === "session" && typeof id === "string");
    const isSession = header !== undefined || (lines[0] !== undefined && isEntryLine(lines[0]));
    if (!isSession) return undefined;
    const cwd = textIn(header?.["cwd"]);
    return {
      kind: kindOf(lines),
      session: textIn(header?.["id"]) ?? "",
      ...(cwd !== undefined && { cwd }),
      decided: false,
    };
  },
  moments: (stream) => momentsOf(stream),
};

/**
 * Detects the program that wrote a session. Only omp stores a title, or a model as one text; only pi stores the system
 * prompt.
 */
function kindOf(lines: readonly Fields[]): SourceKind {
  const isOmp = lines.some(({ type, model }) => type === "title" || (type === "model_change" && model !== undefined));
  if (isOmp) return "omp";
  return lines.some(({ message }) => isFields(message) && message["role"] === "system") ? "pi" : "hookline";
}

function isEntryLine({ type, id, parentId }: Fields): boolean {
  return typeof type === "string" && typeof id === "string" && (parentId === null || typeof parentId === "string");
}

function* momentsOf(stream: SourceStream): Generator<Moment> {
  const reading = new SessionReading(stream);
  for (const line of sourceLines(stream)) {
    if (line.value === undefined) {
      if (line.isPause) yield* reading.end();
      yield unreadable(line.line, line.isPause);
      continue;
    }
    yield* reading.take(line, line.value);
  }
  yield* reading.end();
}

/** A stored message, its place in the file, and the branch of entries before it. */
interface Stored {
  readonly at: SourceLine;
  readonly before: Branch;
  readonly entry: Fields;
}

/** Reads the lines of one session, one after the other. */
class SessionReading {
  readonly #stream: SourceStream;
  readonly #calls = new Calls();
  readonly #index: EntryIndex;
  #tools = sameCalls;
  #model: string | undefined;
  #cwd: string | undefined;

  constructor(stream: SourceStream) {
    this.#stream = stream;
    this.#index = new EntryIndex(stream.path);
  }

  *take(at: SourceLine, value: Fields): Generator<Moment> {
    const { type } = value;
    if (type === "session") {
      this.#cwd = textIn(value["cwd"]);
      return;
    }
    if (type === "title") this.#tools = ompCalls;
    if (typeof type !== "string") {
      this.#stream.skip("unknown-type");
      return;
    }
    const { message } = value;
    const before = this.#index.branchOf(parentOf(value));
    this.#index.add(at, value);
    if (type === "message" && isFields(message)) yield* this.#message({ at, before, entry: value }, message);
    else if (type === "message") this.#stream.skip("unknown-type");
    else if (type === "model_change") this.#model = textIn(value["modelId"]) ?? lastPart(textIn(value["model"]));
  }

  end(): Generator<Moment> {
    return this.#calls.end();
  }

  *#message({ at, before, entry }: Stored, message: Fields): Generator<Moment> {
    const t = timeIn(message["timestamp"]) || timeIn(entry["timestamp"]);
    const about = { line: at.line, t, scene: this.#scene(), branch: before };
    if (message["role"] === "toolResult") {
      yield* this.#calls.settle([{ ...about, ...this.#result(message) }]);
      return;
    }
    yield* this.end();
    if (message["role"] === "user") {
      const prompt = promptOf(about, message["content"]);
      if (prompt !== undefined) yield prompt;
    } else if (message["role"] === "assistant") {
      this.#model = textIn(message["model"]) ?? this.#model;
      const scene = this.#scene();
      yield { ...about, event: "model.context", payload: this.#context(before), scene };
      yield* this.#takeCalls({ ...about, scene, branch: this.#index.branchOf(undefined) }, message);
    }
  }

  /** Makes the payload with the conversation. The messages are read only when a hook is asked about them. */
  #context(branch: Branch): Fields {
    const messagesOf = this.#stream.messagesOf ?? messagesInOrder;
    let messages: readonly Message[] | undefined;
    const payload = { systemPrompt: "", ...(this.#model !== undefined && { model: this.#model }) };
    return Object.defineProperty(payload, "messages", {
      get: () => (messages ??= messagesOf(branch.entries())),
      enumerable: true,
      configurable: true,
    });
  }

  *#takeCalls(about: Pick<SourceCall, "line" | "t" | "scene" | "branch">, message: Fields): Generator<Moment> {
    // If a reply was aborted or failed, none of its calls was run.
    if (message["stopReason"] === "error" || message["stopReason"] === "aborted") return;
    let part = 0;
    for (const block of listIn(message["content"])) {
      if (!isFields(block) || block["type"] !== "toolCall") continue;
      part += 1;
      const args = block["arguments"];
      const tool = this.#tools.tool(textIn(block["name"]) ?? "");
      const given = isFields(args) ? this.#tools.putArgs(tool, args, {}) : undefined;
      yield* this.#calls.add({ ...about, part, id: textIn(block["id"]) ?? "", tool, args: given });
    }
  }

  #result(message: Fields): Pick<SourceResult, "id" | "tool" | "content" | "details" | "isError"> {
    const name = textIn(message["toolName"]);
    return {
      id: textIn(message["toolCallId"]) ?? "",
      tool: name === undefined ? undefined : this.#tools.tool(name),
      content: contentOf(message["content"]),
      details: message["details"],
      isError: message["isError"] === true,
    };
  }

  #scene(): Moment["scene"] {
    return { cwd: this.#cwd, model: this.#model };
  }
}

function parentOf(entry: Fields): string | null | undefined {
  const { parentId } = entry;
  return parentId === null ? null : textIn(parentId);
}

function lastPart(model: string | undefined): string | undefined {
  return model?.slice(model.indexOf("/") + 1);
}

function messagesInOrder(entries: readonly BranchEntry[]): Message[] {
  const messages = entries.flatMap(({ type, message }) => (type === "message" && isFields(message) ? [message] : []));
  // pi stores its system prompt as a message.
  return messages.filter(({ role }) => role !== "system") as never;
}
