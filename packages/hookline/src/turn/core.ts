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

/** The limits of the loop: for retries, hooks' turns, compaction, stream rules, reminders and sub-agents. */
export interface LoopSettings {
  /** How often hooks may make the agent continue in one prompt; undefined if the person has set no limit. */
  readonly feedbackCap: number | undefined;
  /** Replaces an undefined `feedbackCap` for hooks in Claude's settings, and for all hooks in a sub-agent. */
  readonly claudeStopCap: number;
  /** The largest number of turns that hooks may start after the person's last input; 0 for no limit. */
  readonly hookTurnCap: number;
  /** Whether the text of a reply is only shown after hooks on `reply.before` have judged it. */
  readonly holdReplies: boolean;
  readonly retry: { readonly maxRetries: number; readonly baseDelayMs: number };
  readonly compaction: CompactionSettings;
  readonly rules: RuleSettings;
  readonly todo: { readonly remindersMax: number };
  /** Limits of sub-agents: their depth, how many run at once, and how many one prompt may start. */
  readonly task: { readonly maxDepth: number; readonly maxAtOnce: number; readonly maxPerPrompt: number };
}

/** The default settings of the loop. */
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

/** The state that the steps of the loop share. The agent owns it. */
export interface Core {
  /** The session's hooks. For a sub-agent, they are asked as that sub-agent. */
  readonly hooks: Pick<HookSession, "emit" | "has" | "listens" | "asked" | "operation">;
  /** The session as hooks of all dialects can see it. */
  readonly scene: Scene;
  readonly store: SessionManager;
  readonly provider: Provider;
  readonly model: Model;
  readonly thinking: ThinkingLevel;
  readonly settings: LoopSettings;
  readonly queues: Queues;
  /** Records whether a hook has ended the run. */
  readonly halts: Halts;
  readonly hookTurns: HookTurns;
  readonly resources: Resources;
  /** Named contexts of the conversation, as in chibi. A sub-agent has none. */
  readonly contexts?: Contexts | undefined;
  /** The system prompt as it was built last. */
  readonly systemPrompt: string;
  /** Makes model calls outside the conversation. They fire no hooks. */
  readonly llm: LlmTransport;
  apiKey(): Promise<string | undefined>;
  /** MCP servers. A sub-agent has none. Changes of their tools take effect with the next request. */
  readonly servers?: McpServers | undefined;
  /** Returns all tools by name, whether or not the model is offered them. */
  tools(): ReadonlyMap<string, OfferedByAgent>;
  /** Returns the names of the tools that the model is offered now. */
  activeTools(): readonly string[];
  /** Returns the tools that a hook has selected; undefined while the default tools are used. */
  selectedTools(): readonly string[] | undefined;
  tell(event: AgentEvent): void;
  /** Ends the wait for hooks without a time limit when the person aborts. */
  readonly patience: Patience;
  /** Asks the person a yes-or-no question; absent if nobody can answer. */
  readonly confirm?: ((title: string, message: string, signal: AbortSignal) => Promise<boolean>) | undefined;
  /** Asks the person about a call, whose arguments they may change; absent if nobody can answer. */
  readonly approve?: Approve | undefined;
  /**
   * Asks a person at another machine about a call; absent if nobody can answer. Returns undefined if nobody answers in
   * time.
   */
  readonly elsewhere?: ((call: AskedCall, signal: AbortSignal) => Promise<RemoteAnswer | undefined>) | undefined;
}

/** A tool and its origin, such as `builtin` or `mcp`, which hooks see as the tool's type. */
export interface OfferedByAgent {
  readonly tool: Tool;
  readonly type: OfferedTool["type"];
}

/** The state of one prompt, which may take several runs of the loop. */
export interface Run {
  readonly core: Core;
  readonly signal: AbortSignal;
  /** The prompt as it is sent, after hooks have changed it. */
  prompt: string;
  /** The prompt as the person typed it. */
  readonly typed: string;
  /** The system prompt of this prompt, as hooks have changed it. Requests add `nextContext` to it. */
  systemPrompt: string;
  /** Messages that this run of the loop has added. */
  produced: Message[];
  /** Messages that enter the conversation at the start of the next turn. */
  pending: Message[];
  /** Messages that hooks on `input.sent` have not seen yet; they see a message once it is stored. */
  readonly unsent: Set<Message>;
  /** Texts of hooks for the end of the system prompt in the next request. */
  nextContext: WaitingText[];
  /** Counts how often hooks have made the agent continue. */
  readonly retries: Retries;
  turnIndex: number;
  /** Names of the tools that the last request offered to the model. */
  offered: readonly string[];
  /** The number of retries in a row after transient errors. */
  attempts: number;
  /** The number of reminders of open todos. */
  reminders: number;
  /** Whether the context was already compacted because a request was too long. */
  overflowed: boolean;
  /** False after a failed compaction, so that it is not tried before every turn. */
  mayCompact: boolean;
  /** Aborts the pause before a retry, and nothing else; undefined if there is no pause. */
  waiting: AbortController | undefined;
}

/** Makes the initial state of a prompt's run. */
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
