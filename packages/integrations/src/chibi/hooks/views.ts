import type { Scene } from "@hookline/runtime/dialect";
import type { Content, OfferedTool } from "@hookline/runtime/engine";
import { chibiName, isRegistered, ownName } from "./calls.ts";

/** Returns the name of the context; "default" if the host names none. */
export function contextName(scene: Scene): string {
  return scene.context ?? "default";
}

/** Returns the context's name, summary, todos and goals; a missing one is an empty text. */
export function contextTexts(scene: Scene): {
  readonly context_name: string;
  readonly summary: string;
  readonly todos: string;
  readonly goals: string;
} {
  return {
    context_name: contextName(scene),
    summary: scene.summary ?? "",
    todos: scene.todos ?? "",
    goals: scene.goals ?? "",
  };
}

/** Returns the session as `on_start` and `on_end` show it. */
export function sessionView(_: unknown, scene: Scene): { readonly current_context: string; readonly verbose: boolean } {
  return { current_context: contextName(scene), verbose: scene.verbose ?? false };
}

interface CallPayload {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Returns a tool call with chibi's names. */
export function callView(
  { tool, args }: CallPayload,
  scene: Scene,
): { readonly tool_name: string; readonly arguments: Readonly<Record<string, unknown>> } {
  return { tool_name: toolName(tool, scene), arguments: args };
}

/** Returns the name of a tool in this session's events. It is chibi's, unless another tool has taken that name. */
export function toolName(tool: string, scene: Scene): string {
  return chibiName(tool, (name) => isRegistered(scene, name));
}

/** A tool as `pre_api_tools` lists it. */
export interface ListedTool {
  readonly name: string;
  readonly type: string;
}

/** Returns the offered tools in the form in which `pre_api_tools` lists them. */
export function listTools(tools: readonly OfferedTool[]): ListedTool[] {
  const offered = nameSet(tools);
  return tools.map(({ name, type }) => ({ name: chibiName(name, offered), type }));
}

/** Translates the tool names in a hook's list to hookline's. hookline's own names are accepted too. */
export function hostNames(names: readonly string[], tools: readonly OfferedTool[]): string[] {
  const offered = nameSet(tools);
  return [...new Set(names.map((name) => ownName(name, offered)))];
}

function nameSet(tools: readonly OfferedTool[]): (name: string) => boolean {
  const names = new Set(tools.map(({ name }) => name));
  return (name) => names.has(name);
}

/** Returns a content list with one text block. */
export function onlyText(text: string): readonly Content[] {
  return [{ type: "text", text }];
}

/** Converts a message from one context to another to the form that chibi's hooks see. */
export function mailView(
  { from, to, content }: { readonly from: string; readonly to: string; readonly content: string },
  scene: Scene,
): { readonly from: string; readonly to: string; readonly content: string; readonly context_name: string } {
  return { from, to, content, context_name: contextName(scene) };
}

/** Converts the clearing of a context to the form that chibi's hooks see. */
export function clearView(payload: {
  readonly context: string;
  readonly messageCount: number;
  readonly summary: string;
}): { readonly context_name: string; readonly message_count: number; readonly summary: string } {
  return { context_name: payload.context, message_count: payload.messageCount, summary: payload.summary };
}

/** Converts a compaction of the whole context to the form that chibi's hooks see. */
export function compactView(
  { messageCount, summary }: { readonly messageCount: number; readonly summary: string },
  scene: Scene,
): { readonly context_name: string; readonly message_count: number; readonly summary: string } {
  return { context_name: contextName(scene), message_count: messageCount, summary };
}
