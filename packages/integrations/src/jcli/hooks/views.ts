import type { Message } from "@hookline/runtime";
import type { Scene } from "@hookline/runtime/dialect";
import { type FlatMessage, flatten, type GivenMessage, newMessages, putMessages } from "@hookline/runtime/engine";
import type { HookResult } from "./answer.ts";
import { jcliCalls } from "./calls.ts";

/** The event that a hook reads from stdin; fields that the event lacks are absent. Source: seed 003, "HookContext". */
export interface HookContext {
  readonly event: string;
  readonly messages?: readonly FlatMessage[] | undefined;
  readonly system_prompt?: string | undefined;
  readonly model?: string | undefined;
  readonly user_input?: string | undefined;
  readonly assistant_output?: string | undefined;
  readonly tool_name?: string | undefined;
  /** The tool's names in other agents. */
  readonly tool_aliases?: readonly string[] | undefined;
  readonly tool_arguments?: string | undefined;
  readonly tool_result?: string | undefined;
  readonly tool_error?: string | undefined;
  /** How often hooks have already made the agent continue in this turn; hookline's addition. */
  readonly retry_count?: number | undefined;
  readonly session_id: string;
  readonly cwd: string;
}

/** The folded answers of all hooks of one event. */
export interface HookOutcome extends Omit<HookResult, Collected> {
  readonly inject_messages?: readonly (readonly GivenMessage[])[];
  readonly additional_context?: readonly string[];
  readonly system_message?: readonly string[];
}

type Collected = "inject_messages" | "additional_context" | "system_message";

/** Makes a hook's input from the fields that every event has and the fields of this event. */
export function context(
  event: string,
  scene: Scene,
  own: Omit<HookContext, "event" | "session_id" | "cwd">,
): HookContext {
  return { event, ...own, session_id: scene.sessionId, cwd: scene.cwd };
}

/** Returns messages in j-cli's form, with its tool names. */
export function shown(messages: readonly Message[] | undefined): readonly FlatMessage[] {
  return flatten(messages ?? [], jcliCalls);
}

/** Returns the messages as a hook replaced them; `undefined` if it changed none. */
export function replaced(
  given: readonly GivenMessage[] | undefined,
  messages: readonly Message[],
): readonly Message[] | undefined {
  if (given === undefined) return undefined;
  const put = putMessages(given, messages, jcliCalls);
  return put === messages ? undefined : put;
}

/** Returns the messages that hooks add at the end. */
export function injected(
  given: HookOutcome["inject_messages"],
  messages: readonly Message[],
): readonly Message[] | undefined {
  const all = given?.flat() ?? [];
  if (all.length === 0) return undefined;
  const made = newMessages(all, messages, jcliCalls);
  return made.length === 0 ? undefined : made;
}

/** Joins the hooks' additional texts, in hook order; `undefined` if there are none. */
export function added(texts: readonly string[] | undefined): string | undefined {
  const filled = (texts ?? []).filter((text) => text.trim() !== "");
  return filled.length === 0 ? undefined : filled.join("\n\n");
}

/** Returns the text, or `undefined` if it is unchanged. */
export function changed(text: string | undefined, before: string): string | undefined {
  return text === before ? undefined : text;
}

/** Returns the text, or `undefined` if it is empty. */
export function filled(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}
