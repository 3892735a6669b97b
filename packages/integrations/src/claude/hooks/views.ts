import { type Message, textOf } from "@hookline/runtime";
import type { Scene } from "@hookline/runtime/dialect";
import { type Content, edit, putText } from "@hookline/runtime/engine";
import type { ClaudeAnswer, Ruling } from "./answer.ts";
import { transcriptPath } from "./transcript.ts";

/** The event that a hook reads from stdin. Source: spec/claude.md 5 and 6. */
export interface ClaudeEvent {
  readonly session_id: string;
  readonly transcript_path: string;
  readonly cwd: string;
  readonly permission_mode: string;
  readonly effort?: { readonly level: string };
  readonly agent_id?: string;
  readonly agent_type?: string;
  readonly hook_event_name: string;
  readonly tool_name?: string;
  /** Further names of a tool that another agent calls through the bridge. */
  readonly tool_aliases?: readonly string[];
  readonly tool_input?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** The folded answers of all hooks of one event. Lists of texts are in hook order. */
export interface ClaudeOutcome
  extends Omit<ClaudeAnswer, "block" | "remark" | "additionalContext" | "title" | "firstMessage"> {
  readonly block?: readonly string[];
  readonly remark?: readonly string[];
  readonly additionalContext?: readonly string[];
  readonly title?: string;
  readonly firstMessage?: string;
}

/** Makes an event from the common fields and its own. Fields that are `undefined` are left out. */
export function event(name: string, scene: Scene, own: Readonly<Record<string, unknown>>): ClaudeEvent {
  return {
    session_id: scene.sessionId,
    transcript_path: transcriptPath(scene),
    cwd: scene.cwd,
    permission_mode: "default",
    ...effortOf(scene),
    ...agentOf(scene),
    hook_event_name: name,
    ...Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined)),
  };
}

/** Returns the sub-agent's fields; empty if the event is not a sub-agent's. */
function agentOf({ agentId, agentType }: Scene): { readonly agent_id?: string; readonly agent_type?: string } {
  return {
    ...(agentId !== undefined && { agent_id: agentId }),
    ...(agentType !== undefined && { agent_type: agentType }),
  };
}

/** Returns the thinking level by Claude Code's name; empty if thinking is off. */
function effortOf({ thinking }: Scene): { readonly effort?: { readonly level: string } } {
  if (thinking === undefined || thinking === "off") return {};
  return { effort: { level: thinking === "minimal" ? "low" : thinking } };
}

/** Joins texts that are not blank; `undefined` if there are none. */
export function joined(...texts: readonly (readonly string[] | undefined)[]): string | undefined {
  const all = texts.flatMap((some) => some ?? []).filter((text) => text.trim() !== "");
  return all.length === 0 ? undefined : all.join("\n");
}

/** Returns feedback that makes the agent continue. A hook that ends the run outweighs it. */
export function putStop({
  block,
  additionalContext,
  halt,
}: ClaudeOutcome): { readonly feedback?: string; readonly stop?: true } | undefined {
  return halt === undefined ? edit({ feedback: joined(block, additionalContext) }) : { stop: true };
}

/** Returns a ruling in the form of the catalog, as `decision` and `reason`. */
export function ruled(ruling: Ruling | undefined): { decision?: Ruling["decision"]; reason?: string } {
  return {
    ...(ruling !== undefined && {
      decision: ruling.decision,
      ...(ruling.reason !== undefined && { reason: ruling.reason }),
    }),
  };
}

/** Returns the text of the last reply; `undefined` if there is none. */
export function lastReply(messages: readonly Message[] | undefined): string | undefined {
  const reply = messages?.findLast(({ role }) => role === "assistant");
  return reply?.role === "assistant" ? textOf(reply.content) : undefined;
}

/** Returns a tool's result in the form in which hooks see it. Source: spec/claude.md 4, `tool_response`. */
export function responseOf(
  name: string,
  input: Readonly<Record<string, unknown>>,
  content: readonly Content[],
): unknown {
  const text = textOf(content);
  if (name === "Bash") return { stdout: text, stderr: "", interrupted: false, isImage: content.some(isImage) };
  if (hasFile(name)) return { filePath: input["file_path"], success: true, content: text };
  return text;
}

/**
 * Puts a hook's replacement into the content of a result. Returns `undefined` if it is the same or of the wrong shape.
 */
export function putResponse(name: string, given: unknown, content: readonly Content[]): readonly Content[] | undefined {
  const text = textIn(name, given);
  const put = text === undefined ? content : putText(text, content);
  return put === content ? undefined : put;
}

/** Describes why a hook's replacement for a result cannot be used; `undefined` if it can. */
export function responseProblem(name: string, given: unknown): string | undefined {
  if (textIn(name, given) !== undefined) return undefined;
  const shape = name === "Bash" ? "an object with stdout" : hasFile(name) ? "an object with content" : "text";
  return `a result of ${name} is ${shape}; the original stays`;
}

/** Returns the text of a result that has the shape in which hooks see it; `undefined` for any other shape. */
export function textIn(name: string, given: unknown): string | undefined {
  if (name === "Bash" || hasFile(name)) {
    if (typeof given !== "object" || given === null) return undefined;
    const { stdout, stderr, content } = given as Readonly<Record<string, unknown>>;
    const said = name === "Bash" ? stdout : content;
    if (typeof said !== "string") return undefined;
    return typeof stderr === "string" && stderr !== "" ? `${said}\n${stderr}` : said;
  }
  if (typeof given === "string") return given;
  if (!Array.isArray(given)) return undefined;
  const blocks = given as readonly Content[];
  return blocks.every((block) => block?.type === "text") ? textOf(blocks) : undefined;
}

function hasFile(name: string): boolean {
  return name === "Write" || name === "Edit";
}

function isImage({ type }: Content): boolean {
  return type === "image";
}
