import type { EventName, Folded, Session as HookSession, Message, Outcome, Payload } from "@hookline/runtime";
import type { Model, Provider } from "../provider/provider.ts";
import type { SessionManager } from "../session/manager.ts";
import type { Tool } from "../tool/tool.ts";
import type { AgentEvent } from "./event.ts";
import type { Queues } from "./queue.ts";

/** What the settings say about the loop. */
export interface LoopSettings {
  /** Retries that hooks may ask for in one prompt, over all events and dialects. */
  readonly feedbackCap: number;
  readonly retry: { readonly maxRetries: number; readonly baseDelayMs: number };
}

export const LOOP_DEFAULTS: LoopSettings = { feedbackCap: 5, retry: { maxRetries: 3, baseDelayMs: 2000 } };

/** What the steps of the loop share; owned by the agent. */
export interface Core {
  readonly hooks: HookSession;
  readonly store: SessionManager;
  readonly provider: Provider;
  readonly model: Model;
  readonly thinking: "off" | "minimal" | "low" | "medium" | "high" | "xhigh";
  readonly settings: LoopSettings;
  readonly queues: Queues;
  apiKey(): Promise<string | undefined>;
  /** Every tool by name, contributed ones included, whether active or not. */
  tools(): ReadonlyMap<string, OfferedByAgent>;
  /** The names that are active now. */
  activeTools(): readonly string[];
  tell(event: AgentEvent): void;
  /** Puts a question to the person; absent where nobody can answer. */
  readonly confirm?: ((title: string, message: string) => Promise<boolean>) | undefined;
}

/** A tool with what the hooks are told of its kind. */
export interface OfferedByAgent {
  readonly tool: Tool;
  readonly type: "builtin" | "file" | "plugin";
}

/** What one prompt's run carries from step to step. */
export interface Run {
  readonly core: Core;
  readonly signal: AbortSignal;
  /** As it is sent, hooks included. */
  prompt: string;
  /** As it was typed. */
  readonly typed: string;
  /** For this prompt, as the hooks left it; requests add to it. */
  systemPrompt: string;
  /** New messages of this run. */
  readonly produced: Message[];
  /** Messages that wait to be said at the start of the next turn. */
  pending: Message[];
  /** Text that hooks want at the end of the next request's system prompt. */
  nextContext: string[];
  /** Retries that hooks have asked for. */
  feedback: number;
  turnIndex: number;
}

/** Asks the hooks of an event and shows their notices. */
export async function ask<E extends EventName>(
  core: Core,
  event: E,
  payload: Payload<E>,
  signal?: AbortSignal,
): Promise<Outcome<Folded<E>>> {
  const outcome = await core.hooks.emit(event, payload, { signal });
  for (const notice of outcome.notices)
    core.tell({ type: "notice", level: "info", text: notice.text, hook: notice.hook });
  return outcome;
}
