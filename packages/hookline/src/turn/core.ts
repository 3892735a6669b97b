import type { Session as HookSession, LlmTransport, Message, Scene } from "@hookline/runtime";
import { COMPACTION_DEFAULTS, type CompactionSettings } from "../compact/settings.ts";
import type { Contexts } from "../context/contexts.ts";
import type { Halts } from "../hook/halts.ts";
import type { Patience } from "../hook/patience.ts";
import type { Model, Provider, ThinkingLevel } from "../provider/provider.ts";
import { RULE_DEFAULTS, type RuleSettings } from "../rule/rule.ts";
import type { SessionManager } from "../session/manager.ts";
import type { Tool } from "../tool/tool.ts";
import type { AgentEvent } from "./event.ts";
import { Retries } from "./feedback.ts";
import type { HookTurns } from "./hook-turns.ts";
import type { Queues } from "./queue.ts";
import type { Resources } from "./resources.ts";

/** What the settings say about the loop. */
export interface LoopSettings {
  /** Retries that hooks may ask for in one prompt, where the person has set a limit. */
  readonly feedbackCap: number | undefined;
  /** The limit of hooks in Claude's settings, where the person has set none. */
  readonly claudeStopCap: number;
  /** Turns that hooks may start since a person last sent something; 0 for no limit. */
  readonly hookTurnCap: number;
  readonly retry: { readonly maxRetries: number; readonly baseDelayMs: number };
  readonly compaction: CompactionSettings;
  readonly rules: RuleSettings;
  readonly todo: { readonly remindersMax: number };
}

/** What holds where the settings say nothing. */
export const LOOP_DEFAULTS: LoopSettings = {
  feedbackCap: undefined,
  claudeStopCap: 8,
  hookTurnCap: 200,
  retry: { maxRetries: 3, baseDelayMs: 2000 },
  compaction: COMPACTION_DEFAULTS,
  rules: RULE_DEFAULTS,
  todo: { remindersMax: 3 },
};

/** What the steps of the loop share; owned by the agent. */
export interface Core {
  readonly hooks: HookSession;
  /** The session as hooks of every dialect know it. */
  readonly scene: Scene;
  readonly store: SessionManager;
  readonly provider: Provider;
  readonly model: Model;
  readonly thinking: ThinkingLevel;
  readonly settings: LoopSettings;
  readonly queues: Queues;
  /** Whether a hook has ended the run. */
  readonly halts: Halts;
  readonly hookTurns: HookTurns;
  readonly resources: Resources;
  /** Named contexts, for hosts that have them. */
  readonly contexts?: Contexts | undefined;
  /** As it was last in force. */
  readonly systemPrompt: string;
  /** Model calls beside the conversation, which fire no hooks. */
  readonly llm: LlmTransport;
  apiKey(): Promise<string | undefined>;
  /** Every tool by name, contributed ones included, whether active or not. */
  tools(): ReadonlyMap<string, OfferedByAgent>;
  /** The names that are active now. */
  activeTools(): readonly string[];
  /** What a hook has selected of them; undefined for the usual ones. */
  selectedTools(): readonly string[] | undefined;
  tell(event: AgentEvent): void;
  /** The person's, with hooks for which nothing else is a limit. */
  readonly patience: Patience;
  /** Puts a question to the person; absent where nobody can answer. */
  readonly confirm?: ((title: string, message: string, signal: AbortSignal) => Promise<boolean>) | undefined;
}

/** A tool with what the hooks are told of its kind. */
export interface OfferedByAgent {
  readonly tool: Tool;
  readonly type: "builtin" | "file" | "plugin";
}

/** What one prompt carries from step to step, over all runs of the loop that it takes. */
export interface Run {
  readonly core: Core;
  readonly signal: AbortSignal;
  /** As it is sent, hooks included. */
  prompt: string;
  /** As it was typed. */
  readonly typed: string;
  /** For this prompt, as the hooks left it; requests add to it. */
  systemPrompt: string;
  /** New messages of this run of the loop. */
  produced: Message[];
  /** Messages that wait to be said at the start of the next turn. */
  pending: Message[];
  /** Messages of which hooks are told once they are in the conversation. */
  readonly unsent: Set<Message>;
  /** Text that hooks want at the end of the next request's system prompt. */
  nextContext: string[];
  /** Retries that hooks have asked for. */
  readonly retries: Retries;
  turnIndex: number;
  /** Requests that were repeated in a row after a passing error. */
  attempts: number;
  /** Reminders of open todos. */
  reminders: number;
  /** Whether a request that was too long has been compacted and sent again. */
  overflowed: boolean;
  /** Cleared by a compaction that failed, so that it is not tried before every turn. */
  mayCompact: boolean;
  /** Aborts the wait before a repeated request, and nothing else. */
  waiting: AbortController | undefined;
}

/** The beginning of a run. */
export function newRun(
  core: Core,
  about: { readonly typed: string; readonly prompt: string; readonly signal: AbortSignal },
): Run {
  return {
    core,
    ...about,
    systemPrompt: "",
    produced: [],
    pending: [],
    unsent: new Set(),
    nextContext: [],
    retries: new Retries(),
    turnIndex: 0,
    attempts: 0,
    reminders: 0,
    overflowed: false,
    mayCompact: true,
    waiting: undefined,
  };
}
