import type { AskedCall, RemoteAnswer } from "@hookline/fleet";
import type { LlmTransport, Message, Scene } from "@hookline/runtime";
import type { OfferedTool } from "@hookline/runtime/engine";
import { type Approve, type HookSession, Retries } from "@hookline/runtime/session";
import { COMPACTION_DEFAULTS, type CompactionSettings } from "../compact/settings.ts";
import type { Contexts } from "../context/contexts.ts";
import type { WaitingText } from "../hook/context.ts";
import type { Halts } from "../hook/halts.ts";
import type { Patience } from "../hook/patience.ts";
import type { McpServers } from "../mcp/servers.ts";
import type { Model, Provider, ThinkingLevel } from "../provider/provider.ts";
import { RULE_DEFAULTS, type RuleSettings } from "../rule/rule.ts";
import type { SessionManager } from "../session/session.ts";
import type { Tool } from "../tool/tool.ts";
import type { AgentEvent } from "./event.ts";
import type { HookTurns } from "./hook-turns.ts";
import type { Queues } from "./queue.ts";
import type { Resources } from "./resources.ts";

/** The settings of the loop. */
export interface LoopSettings {
  /** Retries that hooks may ask for in one prompt, if the person has set a limit. */
  readonly feedbackCap: number | undefined;
  /** The limit of hooks in Claude's settings, if the person has set none. */
  readonly claudeStopCap: number;
  /** Turns that hooks may start after the person's last input; 0 for no limit. */
  readonly hookTurnCap: number;
  /** Shows no text of a reply before hooks of `reply.before` have judged it. */
  readonly holdReplies: boolean;
  readonly retry: { readonly maxRetries: number; readonly baseDelayMs: number };
  readonly compaction: CompactionSettings;
  readonly rules: RuleSettings;
  readonly todo: { readonly remindersMax: number };
  /** Sub-agents: how deep they may nest, how many work at once, and how many a prompt may start. */
  readonly task: { readonly maxDepth: number; readonly maxAtOnce: number; readonly maxPerPrompt: number };
}

/** The defaults. */
export const LOOP_DEFAULTS: LoopSettings = {
  feedbackCap: undefined,
  claudeStopCap: 8,
  hookTurnCap: 200,
  holdReplies: false,
  retry: { maxRetries: 3, baseDelayMs: 2000 },
  compaction: COMPACTION_DEFAULTS,
  rules: RULE_DEFAULTS,
  todo: { remindersMax: 3 },
  task: { maxDepth: 2, maxAtOnce: 4, maxPerPrompt: 16 },
};

/** The state that the steps of the loop share; owned by the agent. */
export interface Core {
  /** For a sub-agent, its session's hooks, asked as the sub-agent. */
  readonly hooks: Pick<HookSession, "emit" | "has" | "listens" | "asked" | "operation">;
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
  /** As last used. */
  readonly systemPrompt: string;
  /** Model calls outside the conversation, which fire no hooks. */
  readonly llm: LlmTransport;
  apiKey(): Promise<string | undefined>;
  /** MCP servers, for hosts that have them: their offers count from the next request. */
  readonly servers?: McpServers | undefined;
  /** Every tool by name, including contributed ones, whether active or not. */
  tools(): ReadonlyMap<string, OfferedByAgent>;
  /** The names that are active now. */
  activeTools(): readonly string[];
  /** A hook's selection of them; undefined for the usual ones. */
  selectedTools(): readonly string[] | undefined;
  tell(event: AgentEvent): void;
  /** The person's abort signal; for hooks without any other limit. */
  readonly patience: Patience;
  /** Asks the person a question; absent if nobody can answer. */
  readonly confirm?: ((title: string, message: string, signal: AbortSignal) => Promise<boolean>) | undefined;
  /** Asks the person about a call, whose arguments they may change; absent if nobody can answer. */
  readonly approve?: Approve | undefined;
  /** Asks a person elsewhere about a call; resolves with nothing if none answers in time. Absent if nobody can. */
  readonly elsewhere?: ((call: AskedCall, signal: AbortSignal) => Promise<RemoteAnswer | undefined>) | undefined;
}

/** A tool with what the hooks are told of its kind. */
export interface OfferedByAgent {
  readonly tool: Tool;
  readonly type: OfferedTool["type"];
}

/** The state of one prompt, across all runs of the loop that it takes. */
export interface Run {
  readonly core: Core;
  readonly signal: AbortSignal;
  /** As it is sent, after hooks. */
  prompt: string;
  /** As it was typed. */
  readonly typed: string;
  /** For this prompt, as the hooks left it; requests add to it. */
  systemPrompt: string;
  /** New messages of this run of the loop. */
  produced: Message[];
  /** Messages for the start of the next turn. */
  pending: Message[];
  /** Messages that hooks are told about once they are in the conversation. */
  readonly unsent: Set<Message>;
  /** Texts that hooks want at the end of the next request's system prompt. */
  nextContext: WaitingText[];
  /** Retries that hooks have asked for. */
  readonly retries: Retries;
  turnIndex: number;
  /** The tools that the last request offered. */
  offered: readonly string[];
  /** Consecutive retries after temporary errors. */
  attempts: number;
  /** Reminders of open todos. */
  reminders: number;
  /** Whether an overlong request has already been compacted and sent again. */
  overflowed: boolean;
  /** Cleared when a compaction fails, so that it is not tried before every turn. */
  mayCompact: boolean;
  /** Aborts only the wait before a retry. */
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
    offered: [],
    attempts: 0,
    reminders: 0,
    overflowed: false,
    mayCompact: true,
    waiting: undefined,
  };
}
