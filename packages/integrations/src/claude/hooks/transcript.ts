import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { PrivateFiles } from "@hookline/ground";
import { type Message, textOf } from "@hookline/runtime";
import type { Scene } from "@hookline/runtime/dialect";
import { inputOf, nameOf } from "./calls.ts";

/**
 * Returns the path of the transcript that hooks can read, in Claude Code's format. It is in a folder beside the
 * session's file. For a session that is not stored, it is in a private folder directly below the system's folder for
 * temporary files, where nobody else can have created a parent folder.
 */
export function transcriptPath({ sessionFile, sessionId }: Scene): string {
  return sessionFile === undefined
    ? join(tmpdir(), `hookline-transcripts-${process.getuid?.() ?? 0}`, `${sessionId}.jsonl`)
    : besides(sessionFile);
}

/** Returns the path of the sub-agent's own transcript; `undefined` if the event is not a sub-agent's. */
export function agentTranscriptPath(scene: Scene): string | undefined {
  const { agentId, agentFile } = scene;
  if (agentId === undefined) return undefined;
  return agentFile === undefined
    ? join(dirname(transcriptPath(scene)), `${scene.sessionId}-${agentId}.jsonl`)
    : besides(agentFile);
}

function besides(file: string): string {
  return join(dirname(file), "transcripts", basename(file));
}

/** Updates the transcript files for hooks. These copies lag behind the conversations. Source: spec/claude.md C5. */
export class Transcript {
  readonly #files: PrivateFiles;
  /** The messages that each file has. */
  readonly #written = new Map<string, readonly Message[]>();

  constructor(files: PrivateFiles) {
    this.#files = files;
  }

  /**
   * Adds the new messages to a transcript, or writes all messages if the conversation is another one. `ended` is
   * aborted when nothing is added any more. Throws file system errors.
   */
  refresh(path: string, messages: readonly Message[], scene: Scene, ended?: AbortSignal): void {
    const before = this.#written.get(path);
    const lines = (some: readonly Message[]): string => some.flatMap((one) => linesOf(one, scene)).join("");
    if (before === undefined) ended?.addEventListener("abort", () => this.#written.delete(path), { once: true });
    if (before === undefined || before.some((message, i) => message !== messages[i]))
      this.#files.write(path, lines(messages));
    else if (messages.length > before.length) this.#files.append(path, lines(messages.slice(before.length)));
    this.#written.set(path, [...messages]);
  }
}

/**
 * Returns the transcript lines of one message, each a JSON object that ends with a line feed. Source: spec/claude.md 5.
 */
export function linesOf(message: Message, { sessionId, cwd }: Pick<Scene, "sessionId" | "cwd">): string[] {
  const said = shapeOf(message, cwd);
  if (said === undefined) return [];
  const { timestamp } = message;
  const time = typeof timestamp === "number" ? { timestamp: new Date(timestamp).toISOString() } : {};
  return [`${JSON.stringify({ type: said.role, sessionId, cwd, ...time, message: said })}\n`];
}

interface Shape {
  readonly role: "user" | "assistant";
  readonly content: unknown;
  readonly model?: string;
}

function shapeOf(message: Message, cwd: string): Shape | undefined {
  switch (message.role) {
    case "user":
      return { role: "user", content: blocksOf(message.content) };
    case "custom":
      return { role: "user", content: blocksOf(message.content) };
    case "assistant":
      return {
        role: "assistant",
        model: message.model,
        content: message.content.flatMap((block): object[] => {
          if (block.type === "text") return [{ type: "text", text: block.text }];
          if (block.type === "thinking") return [{ type: "thinking", thinking: block.thinking }];
          const { id, name } = block;
          return [{ type: "tool_use", id, name: nameOf(name), input: inputOf(name, block.arguments, cwd) }];
        }),
      };
    case "toolResult": {
      const { toolCallId, isError } = message;
      const result = { type: "tool_result", tool_use_id: toolCallId, content: textOf(message.content) };
      return { role: "user", content: [{ ...result, ...(isError && { is_error: true }) }] };
    }
    case "branchSummary":
    case "compactionSummary":
      return { role: "user", content: message.summary };
    default:
      return undefined;
  }
}

function blocksOf(content: string | readonly { readonly type: string }[]): unknown {
  if (typeof content === "string") return content;
  const isText = content.every(({ type }) => type === "text");
  return isText ? textOf(content) : content.map((block) => (block.type === "text" ? block : { type: block.type }));
}
