import type { Message } from "@hookline/runtime";
import type { AgentEvent, PromptResult, SubAgent } from "../turn/event.ts";

/** The progress of one sub-agent that this program has started. */
export interface RosterEntry {
  readonly agent: SubAgent;
  /** The current activity in a few words, which may contain text from a model. */
  readonly doing: string;
  /** The start time in ms, comparable only with other times in the same roster. */
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly outcome?: PromptResult["kind"];
  /** Cost in dollars. After the end, it includes the cost of the sub-agent's own sub-agents. */
  readonly cost: number;
  readonly tokens: number;
  /** The messages that the sub-agent has received and written, in order. */
  readonly messages: readonly Message[];
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The number of ended sub-agents that are kept. The one that ended first is dropped first. */
const MOST_ENDED = 100;

/** Tracks the running and ended sub-agents of a session, from the agent's events. */
export class Roster {
  readonly #now: () => number;
  readonly #entries = new Map<string, Mutable<RosterEntry>>();
  readonly #listeners = new Set<() => void>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** All sub-agents in start order; each comes after the one that started it. */
  get entries(): readonly RosterEntry[] {
    const all = [...this.#entries.values()];
    const below = (parent: string | undefined): RosterEntry[] =>
      all.filter(({ agent }) => agent.parentId === parent).flatMap((one) => [one, ...below(one.agent.id)]);
    return below(undefined);
  }

  get running(): readonly RosterEntry[] {
    return this.entries.filter(({ endedAt }) => endedAt === undefined);
  }

  /** Returns the time that a sub-agent has run, in ms. */
  age({ startedAt, endedAt }: RosterEntry): number {
    return (endedAt ?? this.#now()) - startedAt;
  }

  /** Calls the listener after each change; returns a function that removes it. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  hear(event: AgentEvent): void {
    if (event.type === "session_changed") this.#entries.clear();
    else if (event.type === "subagent_start") this.#start(event.agent);
    else if (event.type === "subagent_event") this.#did(event.agentId, event.event);
    else if (event.type === "subagent_end") this.#end(event);
    else return;
    for (const listener of this.#listeners) listener();
  }

  #start(agent: SubAgent): void {
    const startedAt = this.#now();
    this.#entries.set(agent.id, { agent, doing: "starts", startedAt, cost: 0, tokens: 0, messages: [] });
  }

  #did(id: string, event: AgentEvent): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    if (event.type === "message_end") {
      entry.messages = [...entry.messages, event.message];
      if (event.message.role !== "assistant") return;
      const { usage } = event.message;
      entry.cost += usage?.cost?.total ?? 0;
      entry.tokens += usage === undefined ? 0 : usage.input + usage.output;
    } else entry.doing = doingAt(event) ?? entry.doing;
  }

  #end({ agentId, outcome, usage }: Extract<AgentEvent, { readonly type: "subagent_end" }>): void {
    const entry = this.#entries.get(agentId);
    if (entry === undefined) return;
    Object.assign(entry, { outcome, doing: outcome, endedAt: this.#now() });
    entry.cost = usage.cost?.total ?? entry.cost;
    entry.tokens = usage.input + usage.output;
    const ended = [...this.#entries.values()].filter(({ endedAt }) => endedAt !== undefined);
    for (const { agent } of ended.slice(0, Math.max(0, ended.length - MOST_ENDED))) this.#entries.delete(agent.id);
  }
}

/** Returns a sub-agent's activity after an event; undefined if the event does not change it. */
function doingAt(event: AgentEvent): string | undefined {
  switch (event.type) {
    case "turn_start":
    case "tool_execution_end":
    case "auto_retry_end":
      return "thinks";
    case "message_start":
      return event.message.role === "assistant" ? "replies" : undefined;
    case "tool_execution_start":
      return `${event.toolName} ${subjectOf(event.args)}`.trim();
    case "auto_retry_start":
      return "waits to ask again";
    case "compaction_start":
      return "makes its conversation shorter";
    default:
      return undefined;
  }
}

/** Returns the argument of a call that best describes it, such as its path or command. */
function subjectOf(args: unknown): string {
  if (typeof args !== "object" || args === null) return "";
  const given = args as Readonly<Record<string, unknown>>;
  const named = ["command", "path", "pattern", "description", "query"].map((key) => given[key]);
  const text =
    named.find((value) => typeof value === "string") ?? Object.values(given).find((v) => typeof v === "string");
  return typeof text === "string" ? text : "";
}
