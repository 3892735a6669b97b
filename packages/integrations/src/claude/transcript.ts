import { type Fields, isFields } from "@hookline/ground";
import {
  Calls,
  contentOf,
  firstObjects,
  listIn,
  type Moment,
  promptOf,
  type SourceReader,
  type SourceResult,
  type SourceStream,
  sourceLines,
  textIn,
  timeIn,
  unknownTypes,
  unreadable,
} from "@hookline/runtime/past";
import { ownCall } from "./hooks/calls.ts";

/**
 * Reads transcripts of Claude Code. A line holds one block of a reply, or one user message; tool results are user
 * messages. Calls have their exact arguments; prompts and results are as Claude Code stored them. Source: public
 * descriptions of the format.
 */
export const claudeSource: SourceReader = {
  recognise(first) {
    const lines = firstObjects(first);
    const known = lines.find(({ type, sessionId, leafUuid, messageId }) => {
      if (typeof type !== "string") return false;
      if (typeof sessionId === "string") return SPOKEN.has(type) || SILENT.has(type);
      return (type === "summary" && leafUuid !== undefined) || (type === SNAPSHOT && messageId !== undefined);
    });
    if (known === undefined) return undefined;
    const session = lines.map(({ sessionId }) => textIn(sessionId)).find((id) => id !== undefined);
    const cwd = lines.map((line) => textIn(line["cwd"])).find((one) => one !== undefined);
    return { kind: "claude", session: session ?? "", ...(cwd !== undefined && { cwd }), decided: false };
  },
  moments: (stream) => momentsOf(stream),
};

const SNAPSHOT = "file-history-snapshot";
const SPOKEN: ReadonlySet<string> = new Set(["user", "assistant"]);

/**
 * Known line types that yield no moment: titles and settings of the session, its files, progress reports of its hooks
 * and commands. Source: public descriptions and samples of versions 1.0 to 2.1.
 */
const SILENT: ReadonlySet<string> = new Set([
  SNAPSHOT,
  "agent-color",
  "agent-name",
  "agent-setting",
  "ai-title",
  "atis-latch",
  "attachment",
  "attribution-snapshot",
  "bridge-session",
  "content-replacement",
  "cost-state",
  "custom-title",
  "file-history-delta",
  "fork-context-ref",
  "frame-link",
  "isolation-latch",
  "last-prompt",
  "marble-origami-commit",
  "marble-origami-reset",
  "marble-origami-snapshot",
  "mode",
  "permission-mode",
  "pr-link",
  "progress",
  "queue-operation",
  "relocated",
  "result",
  "saved_hook_context",
  "started",
  "summary",
  "system",
  "tag",
  "task-summary",
  "turn_end",
  "worktree-state",
]);

/** Matches user messages that nobody typed: local commands with their output, and interruptions. */
const NOT_TYPED =
  /^(?:<(?:command-(?:name|message|args)|local-command-\w+|bash-\w+|system-reminder|task-notification)>|\[Request interrupted)/;

function* momentsOf(stream: SourceStream): Generator<Moment> {
  const calls = new Calls();
  const unknown = unknownTypes(stream);
  const repeated = new Repeated();
  let model: string | undefined;
  for (const { line, value, isPause } of sourceLines(stream)) {
    if (value === undefined) {
      if (isPause) yield* calls.end();
      yield unreadable(line, isPause);
      continue;
    }
    if (repeated.has(value["uuid"])) continue;
    const { type, message } = value;
    if (type === "assistant" && isFields(message)) model = modelOf(message) ?? model;
    const about = { line, t: timeIn(value["timestamp"]), scene: { cwd: textIn(value["cwd"]), model } };
    const queued = type === "attachment" ? promptOf(about, queuedIn(value)) : undefined;
    if (queued !== undefined) {
      yield* calls.end();
      yield queued;
    }
    if (!SPOKEN.has(type as string) || !isFields(message)) {
      if (!SILENT.has(type as string)) unknown(type);
      continue;
    }
    const blocks = listIn(message["content"]).filter(isFields);
    if (type === "assistant") yield* takeCalls(calls, about, blocks);
    else {
      yield* calls.settle(resultsOf(about, blocks, value["toolUseResult"]));
      const prompt = isTyped(value, message) ? promptOf(about, message["content"]) : undefined;
      if (prompt === undefined) continue;
      yield* calls.end();
      yield prompt;
    }
  }
  yield* calls.end();
}

type About = Pick<Moment, "line" | "t" | "scene">;

function* takeCalls(calls: Calls, about: About, blocks: readonly Fields[]): Generator<Moment> {
  let part = 0;
  for (const block of blocks) {
    if (block["type"] !== "tool_use") continue;
    part += 1;
    const input = block["input"];
    const { tool, args } = ownCall(textIn(block["name"]) ?? "", isFields(input) ? input : {});
    yield* calls.add({ ...about, part, id: textIn(block["id"]) ?? "", tool, args: isFields(input) ? args : undefined });
  }
}

function resultsOf(about: About, blocks: readonly Fields[], details: unknown): SourceResult[] {
  const results = blocks.filter(({ type }) => type === "tool_result");
  return results.map((block, at) => ({
    ...about,
    ...(results.length > 1 && { part: at + 1 }),
    id: textIn(block["tool_use_id"]) ?? "",
    content: contentOf(block["content"]),
    details,
    isError: block["is_error"] === true,
  }));
}

/** Remembers lines by their id: Claude Code writes some lines a second time when it resumes a session. */
class Repeated {
  readonly #seen = new Set<string>();

  has(uuid: unknown): boolean {
    if (typeof uuid !== "string") return false;
    if (this.#seen.has(uuid)) return true;
    if (this.#seen.size >= MOST_SEEN) this.#seen.delete(this.#seen.keys().next().value as string);
    this.#seen.add(uuid);
    return false;
  }
}

/** The number of lines that are remembered. A large file may have more, so the oldest ones are forgotten. */
const MOST_SEEN = 50_000;

/** Returns a prompt that was typed while the agent was at work; Claude Code writes it as an attachment. */
function queuedIn({ attachment, isSidechain }: Fields): unknown {
  if (!isFields(attachment) || isSidechain === true || attachment["type"] !== "queued_command") return undefined;
  const { commandMode = "prompt", prompt, origin } = attachment;
  return commandMode === "prompt" && isByPerson(origin) ? prompt : undefined;
}

/** Whether a text comes from the user. Older versions do not record the origin; their texts count as the user's. */
function isByPerson(origin: unknown): boolean {
  return !isFields(origin) || origin["kind"] === undefined || origin["kind"] === "human";
}

/** Whether the user sent a message, rather than a parent agent, a compaction or Claude Code itself. */
function isTyped({ isMeta, isSidechain, isCompactSummary, origin }: Fields, { content }: Fields): boolean {
  if (isMeta === true || isSidechain === true || isCompactSummary === true || !isByPerson(origin)) return false;
  const text =
    typeof content === "string" ? content : contentOf(content).map((block) => ("text" in block ? block.text : ""))[0];
  return text === undefined || !NOT_TYPED.test(text);
}

/** Returns the model of a line; `undefined` for a line that Claude Code itself wrote in place of a model. */
function modelOf({ model }: Fields): string | undefined {
  return model === "<synthetic>" ? undefined : textIn(model);
}
